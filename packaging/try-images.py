#!/usr/bin/env python3
"""The container images as far as they can be tried without Docker: the instructions of each Dockerfile's
last stage are carried out in a Debian of its own (debootstrap), and what they make is run as its container
would be, with the user, the command, the read-only root and the health check that the files name.

    packaging/try-images.py

Wants root, debootstrap, the network, and the binary of `make release`. The stage that builds the binary is
not carried out.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = ROOT / ".build/dist/beemed-relay"
APP = ROOT / "packaging/home-assistant/beemed-relay"
# The address from which ingress connects, and what it sets on each request.
INGRESS = ("172.30.32.2", "X-Ingress-Path: /api/hassio_ingress/t0k3n")


def instructions(path):
    """Those of the last stage: name and text."""
    stage = []
    for line in path.read_text().replace("\\\n", " ").splitlines():
        name, _, rest = line.strip().partition(" ")
        if not name or name.startswith("#"):
            continue
        stage = [] if name == "FROM" else [*stage, (name, rest.strip())]
    return stage


def build(root, path):
    """Carries the instructions out; returns what is to be run."""
    image = {"user": "root", "environment": {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, "entrypoint": [], "command": []}
    for name, rest in instructions(path):
        if name == "RUN":
            variables = {**image["environment"], "DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run(["chroot", root, "sh", "-c", rest], check=True, env=variables,
                           stdout=subprocess.DEVNULL)
        elif name == "COPY":
            words = rest.split()
            isBuilt = words[0] == "--from=build"
            *sources, place = words[isBuilt:]
            for source in sources:
                # The app's README says to put the binary beside its Dockerfile.
                beside = path.parent / source
                found = ROOT / source.removeprefix("/source/") if isBuilt else beside if beside.exists() else BINARY
                shutil.copy(found, f"{root}{place}")
        elif name == "ENV":
            key, _, value = rest.partition("=")
            image["environment"][key] = value
        elif name == "USER":
            image["user"] = rest
        elif name in ("ENTRYPOINT", "CMD"):
            image["entrypoint" if name == "ENTRYPOINT" else "command"] = json.loads(rest)
        elif name == "HEALTHCHECK":
            image["health"] = json.loads(rest[rest.index("CMD") + 3:])
        else:
            assert name in ("VOLUME", "EXPOSE", "STOPSIGNAL"), name
    return image


def words(root, image, command):
    """A command within the image: its user, no capabilities, a way to gain none."""
    held = ["setpriv", f"--reuid={image['user']}", f"--regid={image['user']}", "--init-groups", "--no-new-privs",
            "--bounding-set=-all", "--inh-caps=-all"]
    variables = [f"{key}={value}" for key, value in image["environment"].items()]
    return ["chroot", root, *held, "env", "-i", *variables, *command]


def page(source, *fields):
    """GET / from that address."""
    named = [word for field in fields for word in ("-H", field)]
    return subprocess.run(["curl", "-sS", "--interface", source, *named, "http://127.0.0.1:2336/"],
                          check=True, capture_output=True, text=True).stdout


def run(root, image, isApp):
    """Runs it in a network of its own, on a read-only root, and stops it."""
    for command in (["ip", "link", "set", "lo", "up"], ["ip", "address", "add", f"{INGRESS[0]}/32", "dev", "lo"],
                    ["mount", "--bind", root, root], ["mount", "--bind", f"{root}/data", f"{root}/data"],
                    ["mount", "-o", "remount,bind,ro", root], ["mount", "-t", "tmpfs", "tmpfs", f"{root}/tmp"],
                    ["mount", "-t", "proc", "proc", f"{root}/proc"]):
        subprocess.run(command, check=True)
    relay = subprocess.Popen(words(root, image, image["entrypoint"] + image["command"]),
                             stdout=subprocess.PIPE, text=True)
    try:
        tried(root, image, isApp, relay)
    finally:
        relay.kill()


def tried(root, image, isApp, relay):
    """What a user of the container would do."""
    line = relay.stdout.readline()
    assert re.fullmatch(r"Listening on http://[0-9.]+:2336\n", line), line
    for command in (image["health"], ["beemed-relay", "log", "water", "2"], ["beemed-relay", "events", "list"]):
        done = subprocess.run(words(root, image, command), capture_output=True, text=True)
        assert done.returncode == 0, (command, done)
    assert re.search(r"queued +water +\+2 ", done.stdout), done.stdout
    assert "beemed-relay owner-link" in page("127.0.0.1"), "a stranger sees the page"
    assert ("id=\"view\"" in page(*INGRESS)) == isApp, "ingress"
    assert "id=\"view\"" not in page("127.0.0.1", INGRESS[1]), "anybody is the ingress"
    begin = time.monotonic()
    relay.send_signal(signal.SIGTERM)
    assert relay.wait(30) == 0, "it does not end in good order"
    print(f"listened, was healthy, took a press, ended after {time.monotonic() - begin:.1f} s")


def main():
    if sys.argv[1:2] == ["--run"]:
        return run(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4] == "app")
    suite = "bookworm"
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        base = f"{folder}/base"
        subprocess.run(["debootstrap", "--variant=minbase", suite, base], check=True, stdout=subprocess.DEVNULL)
        for file in ["/etc/resolv.conf", *map(str, pathlib.Path("/etc/apt/apt.conf.d").glob("*proxy*"))]:
            shutil.copy(file, f"{base}{file}")
        for path in (ROOT / "packaging/Dockerfile", APP / "Dockerfile"):
            isApp = path.parent == APP
            print(f"== {path.relative_to(ROOT)}", flush=True)
            root = f"{folder}/{'app' if isApp else 'image'}"
            subprocess.run(["cp", "-a", base, root], check=True)
            image = build(root, path)
            os.makedirs(f"{root}/data", exist_ok=True)
            if isApp:
                options = {"log_level": "debug", "beeminder_auth_token": "x"}
                pathlib.Path(root, "data/options.json").write_text(json.dumps(options))
            else:
                image["environment"]["BEEMINDER_AUTH_TOKEN"] = "x"
            subprocess.run(["unshare", "--mount", "--net", sys.executable, __file__, "--run", root, json.dumps(image),
                            "app" if isApp else "image"], check=True)


if __name__ == "__main__":
    main()
