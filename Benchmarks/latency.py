#!/usr/bin/env python3
"""How long answers take at half of the highest load, beside servers that do the same work.

    Benchmarks/latency.py [--repeat 5] [--seconds 4] [--connections 64] [--dir FOLDER]

GET /context beside nginx with a file of the same bytes; POST /log beside Redis that syncs each XADD
(`appendfsync always`). The load (`paced.c`) sends at fixed times and counts from when a request was
due. Both sides are measured in turns; figures are medians in ms, and ratios are medians of each
repetition's ratio. First each side gets half of its own highest load, then both the same: half of
the lower one.

Needs nginx, redis-server and gcc (Debian: nginx-light redis-server gcc), and the release build.
"""

import argparse
import contextlib
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
sys.path[:0] = [os.path.join(ROOT, "Benchmarks"), os.path.join(ROOT, "Tests/Faults")]

from durable import PAYLOAD, Bench  # noqa: E402
from rig.client import request_bytes  # noqa: E402

# Not `import http`, which is a module of Python's own.
_spec = importlib.util.spec_from_file_location("contexts", f"{ROOT}/Benchmarks/http.py")
contexts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(contexts)


@dataclass
class Load:
    """The figures of the generator: answers a second, and their times in ms."""
    rate: float
    median: float
    p99: float
    p999: float
    longest: float


class Latency:
    def __init__(self, folder, connections, seconds):
        self.bench = Bench(folder, seconds)
        self.folder = folder
        self.connections = connections
        self.seconds = seconds
        self.program = f"{folder}/paced"
        subprocess.run(["gcc", "-O2", "-o", self.program, f"{ROOT}/Benchmarks/paced.c"],
                       check=True)

    def load(self, port, request, rate, seconds=None):
        """With a rate of 0: the highest."""
        path = f"{self.folder}/request"
        with open(path, "wb") as file:
            file.write(request)
        done = subprocess.run(
            [self.program, str(port), str(self.connections), str(rate),
             str(seconds or self.seconds), path], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"not all were answered well:\n{done.stderr}")
        return Load(*(float(word) for word in done.stdout.split()))

    # The sides: each serves, is loaded, and ends.

    @contextlib.contextmanager
    def relay(self):
        data = self.bench.new("data")
        self.bench.relay(data)[0].kill()
        contexts.save_goals(data)
        relay, data = self.bench.relay(data)
        try:
            yield relay
        finally:
            relay.kill()
            shutil.rmtree(data)

    def context(self, rate):
        with self.relay() as relay:
            return self.load(relay.port, request_bytes("GET", "/context", relay.token), rate)

    def press(self, rate):
        seconds = self.bench.press_seconds(rate)
        with self.relay() as relay:
            request = request_bytes("POST", "/log", relay.token, PAYLOAD.encode())
            return self.load(relay.port, request, rate, seconds)

    def nginx(self, rate):
        folder, port = self.bench.new("nginx"), self.bench.free_port()
        os.mkdir(folder)
        with self.relay() as relay:
            body = relay.ask("GET", "/context").body
        with open(f"{folder}/context.json", "wb") as file:
            file.write(body)
        with open(f"{folder}/nginx.conf", "w") as file:
            file.write(contexts.NGINX.format(folder=folder, port=port))
        command = [contexts.find("nginx"), "-p", folder, "-c", f"{folder}/nginx.conf",
                   "-e", f"{folder}/error.log"]
        request = request_bytes("GET", "/context.json", "x")
        return self.beside(command, folder, port, request, rate)

    def redis(self, rate):
        folder, port = self.bench.new("redis"), self.bench.free_port()
        os.mkdir(folder)
        command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder,
                   "--appendonly", "yes", "--appendfsync", "always", "--save", "",
                   "--auto-aof-rewrite-percentage", "0"]
        words = ["XADD", "log", "*", "press", PAYLOAD]
        request = f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words)
        return self.beside(command, folder, port, request.encode(), rate)

    def beside(self, command, folder, port, request, rate):
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            self.bench.await_port(port)
            return self.load(port, request, rate)
        finally:
            server.terminate()
            server.wait(20)
            shutil.rmtree(folder)


def in_turns(repeat, *measures):
    """The results of each, in order; every other time the last begins."""
    results = [[] for _ in measures]
    for number in range(repeat):
        order = range(len(measures))
        for index in order if number % 2 == 0 else reversed(order):
            results[index].append(measures[index]())
    return results


def row(work, ours, theirs):
    def middle(loads, figure):
        return statistics.median(getattr(load, figure) for load in loads)

    cells = [f"{middle(loads, 'rate'):,.0f}/s" for loads in (ours, theirs)]
    for figure in ("median", "p99", "p999"):
        ratio = statistics.median(
            getattr(a, figure) / getattr(b, figure) for a, b in zip(ours, theirs))
        cells.append(f"{middle(ours, figure):.2f} / {middle(theirs, figure):.2f} = {ratio:.2f}")
    print(f"| {work} | " + " | ".join(cells) + " |", flush=True)


def compare(work, ours, theirs, repeat):
    peaks = in_turns(3, lambda: ours(0), lambda: theirs(0))
    own, other = (statistics.median(load.rate for load in loads) / 2 for loads in peaks)
    row(f"{work}: half of its own highest load",
        *in_turns(repeat, lambda: ours(own), lambda: theirs(other)))
    low = min(own, other)
    row(f"{work}: the same load", *in_turns(repeat, lambda: ours(low), lambda: theirs(low)))


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--seconds", type=float, default=4)
    options.add_argument("--connections", type=int, default=64)
    options.add_argument("--dir", default=os.path.join(ROOT, ".build"))
    chosen = options.parse_args()
    missing = [tool for tool in ("nginx", "redis-server", "gcc") if not contexts.find(tool)]
    if missing:
        print(f"missing: {', '.join(missing)}", file=sys.stderr)
        sys.exit(2)
    folder = tempfile.mkdtemp(prefix="latency-", dir=chosen.dir)
    os.chmod(folder, 0o755)  # nginx's worker may be another user.
    try:
        latency = Latency(folder, chosen.connections, chosen.seconds)
        print("| work | relay | beside | median, ms | p99, ms | p99.9, ms |\n" + "|---" * 6 + "|")
        compare("GET /context / nginx", latency.context, latency.nginx, chosen.repeat)
        compare("POST /log / Redis XADD always", latency.press, latency.redis, chosen.repeat)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
