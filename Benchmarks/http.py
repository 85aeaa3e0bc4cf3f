#!/usr/bin/env python3
"""GET of the context, against nginx with a file of the same bytes; and with 10,000 idle neighbours.

Needs wrk and nginx (Debian: apt-get install wrk nginx-light). Both sides run on loopback on this
machine, are started and stopped by this script, and take turns, so that whatever else the machine
does hits both. Figures are medians; ratios are medians of each repetition's ratio.

    RELAY_COMMAND   how to start the relay; {data} and {port} are filled in
    RELAY_TOKEN     a bearer token; else RELAY_TOKEN_COMMAND is run, and prints one
    RELAY_PATH      what to GET (/context)
    REPETITIONS     5    DURATION 3 (seconds)    IDLE 10000
"""

import json
import os
import re
import resource
import shlex
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

BINARY = ".build/release/beemed-relay"
RELAY = os.environ.get(
    "RELAY_COMMAND",
    f"{BINARY} serve --data {{data}} --listen 127.0.0.1:{{port}} --rate-limit off"
    " --max-connections 20000",
)
TOKEN_COMMAND = os.environ.get(
    "RELAY_TOKEN_COMMAND", f"{BINARY} device add bench --data {{data}}"
)
PATH = os.environ.get("RELAY_PATH", "/context")
REPETITIONS = int(os.environ.get("REPETITIONS", "5"))
SECONDS = int(os.environ.get("DURATION", "3"))
IDLE = int(os.environ.get("IDLE", "10000"))

NGINX = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 20000; }}
http {{
    access_log off;
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 1000000000;
    open_file_cache max=10;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    types {{ application/json json; }}
    server {{ listen 127.0.0.1:{port} backlog=4096; root {folder}; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port, process):
    for _ in range(500):
        if process.poll() is not None:
            sys.exit(f"{process.args[0]} ended with {process.returncode} before it listened")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    sys.exit(f"{process.args[0]} does not listen on port {port}")


def request(token):
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n{authorization}\r\n".encode()


def read_answer(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536) or sys.exit("the relay closed the connection")
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)\r\ncontent-length: (\d+)", head).group(1))
    while len(body) < length:
        body += connection.recv(65536)
    return head.decode(), body


def get(port, token):
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request(token))
        head, body = read_answer(connection)
    if not head.startswith("HTTP/1.1 200 "):
        sys.exit(f"GET {PATH} is not answered 200:\n{head}")
    if "\netag:" not in head.lower():
        print(f"note: no ETag in the answer to GET {PATH}")
    return body


def wrk(url, connections, token):
    """Requests a second, and the 99th percentile in milliseconds."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}", "--latency", url]
    if token:
        command += ["-H", f"Authorization: Bearer {token}"]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        print(f"note: {url}: " + "; ".join(re.findall(r"(?:Non-2xx|Socket).*", out)))
    amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
    return rate, float(amount) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def open_idle(port, token):
    """Connections that have asked once and now rest."""
    connections = []
    for _ in range(IDLE):
        connection = socket.create_connection(("127.0.0.1", port))
        # Closing by reset leaves no port behind in TIME_WAIT.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(request(token))
        read_answer(connection)
        connections.append(connection)
    return connections


def row(name, left, right, left_name, right_name):
    ratio = statistics.median(a[0] / b[0] for a, b in zip(left, right))
    rates = [statistics.median(x[0] for x in side) for side in (left, right)]
    tails = [statistics.median(x[1] for x in side) for side in (left, right)]
    print(
        f"| {name} | {left_name} {rates[0]:,.0f}/s, p99 {tails[0]:.2f} ms"
        f" | {right_name} {rates[1]:,.0f}/s, p99 {tails[1]:.2f} ms | {ratio:.2f} |",
        flush=True,
    )


def in_turn(number, first, second):
    """Runs both, the other one first every other time; their results in the order given."""
    if number % 2 == 0:
        return first(), second()
    later = second()
    return first(), later


def measure(relay_port, nginx_port, token):
    relay = f"http://127.0.0.1:{relay_port}{PATH}"
    nginx = f"http://127.0.0.1:{nginx_port}/context.json"
    for url in (relay, nginx):
        wrk(url, 64, token)  # To warm up.
    print("| work | one side | other side | ratio |\n|---|---|---|---|")
    for connections in (64, 256):
        pairs = [
            in_turn(
                number,
                lambda: wrk(relay, connections, token),
                lambda: wrk(nginx, connections, token),
            )
            for number in range(REPETITIONS)
        ]
        row(f"GET, {connections} connections", *zip(*pairs), "relay", "nginx")

    def beside_idle():
        idle = open_idle(relay_port, token)
        try:
            return wrk(relay, 64, token)
        finally:
            for connection in idle:
                connection.close()

    pairs = [
        in_turn(number, beside_idle, lambda: wrk(relay, 64, token))
        for number in range(REPETITIONS)
    ]
    row(f"GET, 64 connections beside {IDLE:,} idle", *zip(*pairs), "with", "without")


def main():
    missing = [tool for tool in ("wrk", "nginx") if not find(tool)]
    if missing:
        print(f"missing: {' and '.join(missing)} (Debian: apt-get install wrk nginx-light)")
        sys.exit(2)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    running = []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # nginx's worker may be another user.
        try:
            data = os.path.join(folder, "data")
            relay_port, nginx_port = free_port(), free_port()
            token = os.environ.get("RELAY_TOKEN")
            if token is None:
                command = shlex.split(TOKEN_COMMAND.format(data=data))
                token = subprocess.run(
                    command, check=True, stdout=subprocess.PIPE, text=True
                ).stdout.strip()
            save_goals(data)
            relay = shlex.split(RELAY.format(data=data, port=relay_port))
            running.append(subprocess.Popen(relay, stdout=subprocess.DEVNULL))
            await_port(relay_port, running[-1])
            body = get(relay_port, token)
            with open(os.path.join(folder, "context.json"), "wb") as file:
                file.write(body)
            with open(os.path.join(folder, "nginx.conf"), "w") as file:
                file.write(NGINX.format(folder=folder, port=nginx_port))
            nginx = [find("nginx"), "-p", folder, "-c", os.path.join(folder, "nginx.conf")]
            nginx += ["-e", os.path.join(folder, "error.log")]
            running.append(subprocess.Popen(nginx))
            await_port(nginx_port, running[-1])
            print(
                f"{len(body):,} bytes, {REPETITIONS} x {SECONDS} s each, wrk -t1,"
                f" {os.cpu_count()} cores, Linux {os.uname().release}\n"
            )
            measure(relay_port, nginx_port, token)
        finally:
            for process in running:
                process.terminate()
            for process in running:
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()


def save_goals(data):
    """Goals as an earlier run would have kept them, so that a context has about 1,500 bytes."""
    if not os.path.isdir(data):
        return
    goals = [
        {"slug": f"goal-number-{index}", "title": f"The goal of number {index}",
         "losedate": 4_000_000_000 + index, "urgencykey": f"FROx;{index:04}", "gunits": "times",
         "limsum": "+2 in 7 days (60)"}
        for index in range(9)
    ]
    path = os.path.join(data, "goals.json")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        json.dump({"user": "alice", "goals": goals, "isKnown": True}, file)


def find(tool):
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/usr/local/sbin")


if __name__ == "__main__":
    main()
