"""The recipes that need a tool of the device's maker, a compiler or a proxy."""
import contextlib
import html
import json
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "recipes"
# The largest content that the relay takes, in bytes.
LARGEST = 8 << 20


def manual_lines(device):
    """The first lines to copy for a device, as a reader of the manual gets them."""
    page = (ROOT / "Sources/BeemedRelay/CEmbedded/manual/manual.html").read_text()
    section = page.split(f'<section id="{device}"')[1]
    lines = html.unescape(re.search(r"<pre><code>(.*?)</code>", section, re.S)[1])
    filled = {"scheme": "http", "relay": "192.168.1.20:2336", "goal": "water", "token": "TOKEN"}
    for place, text in filled.items():
        lines = lines.replace(f"[[{place}]]", text)
    return lines


def check_esphome(esphome):
    """`esphome config` on the recipe, and on the manual's lines in a whole file."""
    lines = manual_lines("esphome")
    whole = ("esphome: {name: button}\nesp32: {board: esp32dev, framework: {type: esp-idf}}\n"
             "wifi: {ssid: WIFI, password: PASSWORD}\nlogger:\n" + lines)
    for name, text in {"recipe": (RECIPES / "esphome.yaml").read_text(), "manual": whole}.items():
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name + ".yaml")
            path.write_text(text)
            done = subprocess.run(
                [esphome, "config", path], cwd=folder, text=True, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            assert done.returncode == 0 and "Configuration is valid" in done.stdout, done.stdout


def check_arduino():
    """The sketch for the ESP32 on a simulated board, and the manual's lines for both families."""
    boards = ROOT / "Tests/Contract/arduino"
    compiler = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", boards]
    snippet = "#include <Arduino.h>\n" + manual_lines("arduino")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "snippet.cpp")
        path.write_text(snippet)
        for family in ["-DESP32", "-DESP8266"]:
            subprocess.run([*compiler, family, "-fsyntax-only", path], check=True)
        lives = pathlib.Path(folder, "lives")
        sketch = f'-DSKETCH="{RECIPES}/esp32-arduino.ino"'
        subprocess.run([*compiler, sketch, boards / "lives.cpp", "-o", lives], check=True)
        subprocess.run([lives], check=True)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def certificate(folder):
    """A key and a certificate for the name in the recipes."""
    key, chain = folder / "privkey.pem", folder / "fullchain.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", chain,
         "-days", "2", "-subj", "/CN=relay.example.com"], check=True, stderr=subprocess.DEVNULL)
    return key, chain


def nginx(folder, port, relay):
    """The recipe inside the smallest file that nginx starts with, and how to start it."""
    key, chain = certificate(folder)
    site = (RECIPES / "nginx.conf").read_text()
    for old, new in {
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;", "listen [::]:443 ssl;": "",
            "/etc/ssl/relay/fullchain.pem": str(chain), "/etc/ssl/relay/privkey.pem": str(key),
            "http://127.0.0.1:2336": f"http://{relay}"}.items():
        assert old in site, old
        site = site.replace(old, new)
    path = folder / "nginx.conf"
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    path.write_text(
        f"daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\n{temporary}{site}\n}}\n")
    command = [program("nginx"), "-c", path, "-e", folder / "error.log"]
    return [*command, "-t"], command


def haproxy(folder, port, relay):
    key, chain = certificate(folder)
    both = folder / "relay.pem"
    both.write_bytes(chain.read_bytes() + key.read_bytes())
    site = (RECIPES / "haproxy.cfg").read_text()
    for old, new in {
            "bind :443 ": f"bind 127.0.0.1:{port} ", "/etc/haproxy/relay.pem": str(both),
            "127.0.0.1:2336\n": f"{relay}\n"}.items():
        assert old in site, old
        site = site.replace(old, new) if "2336" not in old else (
            site[:site.rindex(old)] + new + site[site.rindex(old) + len(old):])
    path = folder / "haproxy.cfg"
    path.write_text(site)
    return [program("haproxy"), "-c", "-f", path], [program("haproxy"), "-db", "-f", path]


def program(name):
    found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin")
    assert found, f"missing: {name}"
    return found


@contextlib.contextmanager
def running(prepare, relay):
    """The proxy in front of the relay. Yields its port."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = pathlib.Path(name), free_port()
        folder.chmod(0o755)
        check, start = prepare(folder, port, relay)
        subprocess.run(check, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        process = subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        try:
            for _ in range(200):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(timeout=30)


def ask(port, path, token, body=None, declared=None, source="127.0.0.1", **fields):
    """A request through the proxy, by TLS, from that address. Returns status and body.

    `declared` is a length that the head claims for a body that is not sent.
    """
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    place = ("127.0.0.1", port)
    with socket.create_connection(place, timeout=20, source_address=(source, 0)) as raw:
        with context.wrap_socket(raw, server_hostname="relay.example.com") as wire:
            method = "GET" if body is None and declared is None else "POST"
            head = [f"{method} {path} HTTP/1.1", "Host: relay.example.com",
                    f"Authorization: Bearer {token}", "Connection: close"]
            head += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
            length = declared if body is None else len(body)
            head += [] if length is None else [f"Content-Length: {length}"]
            wire.sendall(("\r\n".join(head) + "\r\n\r\n").encode() + (body or b""))
            answer = b""
            while more := wire.recv(65536):
                answer += more
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), content


def check_proxy(prepare, relay, owner):
    """A press through it, whose client the relay knows, whatever that client claims."""
    name = prepare.__name__
    press = f"{name}-{time.time_ns()}"
    with running(prepare, relay) as port:
        status, content = ask(
            port, "/log/water", owner, json.dumps({"id": press, "value": 1}).encode(),
            source="127.0.0.9", X_Forwarded_For="192.0.2.7")
        assert status == 200, (name, status, content)
        asked = urllib.request.Request(
            f"http://{relay}/requests", headers={"Authorization": f"Bearer {owner}"})
        with urllib.request.urlopen(asked) as answer:
            seen = json.load(answer)["requests"]
        peers = [one["peer"] for one in seen if one.get("read", {}).get("id") == press]
        assert peers == ["127.0.0.9"], (name, peers)
        # The manual, filled with the name and the scheme by which the reader came.
        status, content = ask(port, "/docs", owner)
        assert status == 200 and b"https://relay.example.com/log/" in content, name
        # As large as the relay takes health data, and no larger; the proxy says so itself.
        sample = b'{"metric": "steps", "value": 1, "date": "2026-11-22"}'
        status, content = ask(
            port, "/health?dry_run=1", owner, sample.rjust(LARGEST), Content_Type="application/json")
        assert status == 200, (name, status, content)
        status, content = ask(port, "/health", owner, declared=LARGEST + 1)
        assert status == 413 and b"too_large" not in content, (name, status, content)


def check_proxies(relay, owner):
    for prepare in [nginx, haproxy]:
        check_proxy(prepare, relay, owner)
