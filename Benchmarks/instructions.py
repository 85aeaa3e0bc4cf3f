#!/usr/bin/env python3
"""How many instructions a request takes in user space, under callgrind (Debian: valgrind): many
connections, each of which sends one request again and again, and presses that all differ. A busy
machine does not change the figures.

    Benchmarks/instructions.py [--connections 16] [--requests 2400] [--keep FILE]

Needs the release build. FILE gets the profile of the same POST /log again, FILE.new that of the
presses that differ, for callgrind_annotate.
"""

import argparse
import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
BINARY = os.environ.get("PROGRAM", f"{ROOT}/.build/release/beemed-relay")
BODY = b'{"goal":"water","value":0.25,"comment":"a glass of water"}'


def new_body(number):
    """A press unlike any other, as long as `BODY`."""
    return b'{"goal":"water","value":%d.5,"comment":"the glass %06d"}' % (number % 10, number)


def request(line, port, token, body):
    head = (f"{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
            + (f"Content-Length: {len(body)}\r\n" if body else ""))
    return f"{head}\r\n".encode() + body


def answer(client):
    """Reads one answer, which must be a success."""
    data = client.recv(65_536)
    while True:
        head, _, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"[Cc]ontent-[Ll]ength: (\d+)", head)
        if length and len(body) >= int(length.group(1)):
            break
        more = client.recv(65_536)
        if not more:
            sys.exit("the relay has closed the connection")
        data += more
    if not data.startswith(b"HTTP/1.1 200 "):
        sys.exit(f"not all were answered well: {data[:200]}")


def measure(line, body, connections, rounds, folder, keep=None):
    """The instructions of a request; `body` has the content of each by its number."""
    data, out = f"{folder}/data", f"{folder}/profile"
    token = subprocess.run([BINARY, "device", "add", "esp32", "--data", data],
                           capture_output=True, text=True, check=True).stdout.strip()
    relay = subprocess.Popen(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", BINARY, "serve", "--data",
         data, "--listen", "127.0.0.1:0", "--rate-limit", "off", "--beeminder-url",
         "http://127.0.0.1:9"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "BEEMINDER_AUTH_TOKEN": "simulated-token"})
    try:
        port = int(re.search(r":(\d+)\s*$", relay.stdout.readline().strip()).group(1))
        numbers = itertools.count()
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]

        def load(count):
            for _ in range(count):
                for client in clients:
                    client.sendall(request(line, port, token, body(next(numbers))))
                for client in clients:
                    answer(client)

        def control(flag):
            subprocess.run(["callgrind_control", flag, str(relay.pid)], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        load(640 // connections)
        control("-z")
        load(rounds)
        control("-d")
    finally:
        relay.terminate()
        relay.wait(60)
    with open(f"{out}.1") as profile:
        total = next(int(text.split()[1]) for text in profile if text.startswith("totals:"))
    if keep:
        shutil.copy(f"{out}.1", keep)
    shutil.rmtree(data)
    return total // (rounds * connections)


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--connections", type=int, default=16)
    options.add_argument("--requests", type=int, default=2_400)
    options.add_argument("--keep")
    chosen = options.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("missing: valgrind (Debian: valgrind)")
    with tempfile.TemporaryDirectory() as folder:
        for line, body, kind, keep in (
                ("GET /context", lambda number: b"", "", None),
                ("POST /log", lambda number: BODY, ", the same again", chosen.keep),
                ("POST /log", new_body, ", another each time",
                 chosen.keep and f"{chosen.keep}.new")):
            count = measure(line, body, chosen.connections,
                            chosen.requests // chosen.connections, folder, keep)
            print(f"{line}{kind}: {count:,} instructions a request")


if __name__ == "__main__":
    main()
