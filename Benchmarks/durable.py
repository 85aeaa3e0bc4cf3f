#!/usr/bin/env python3
"""The cost of a durable press, beside others that also wait for the disk, in one run.

    Benchmarks/durable.py [--repeat 5] [--seconds 3] [--dir FOLDER]

Parts: redis, bare, slow, pending, history, rotation (`--only` runs one).

Needs redis-server, redis-benchmark, wrk and gcc (Debian: redis-server redis-tools wrk gcc), and
the release build. Every pair is measured in turns, so that a noisy machine is noisy to both; the
numbers are medians. FOLDER must be on the disk that is meant; all write there.
"""

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
sys.path[:0] = [os.path.join(ROOT, "Benchmarks"), os.path.join(ROOT, "Tests/Faults")]

import past  # noqa: E402
from rig.client import burst, request_bytes  # noqa: E402
from rig.relay import BINARY, Relay  # noqa: E402

NOWHERE = "http://127.0.0.1:9"
# So many bytes of presses may wait at most; beyond that they are refused.
HELD_BYTES = 64 << 20
PAYLOAD = '{"goal":"water","value":0.25,"comment":"a glass of water"}'
# A thousand bodies in turn, each unlike the one before.
DIFFERENT = r"""
local all, number = {}, 0
init = function()
  for n = 1, 1000 do
    all[n] = wrk.format("POST", nil, nil, string.format(
      '{"goal":"water","value":%d.5,"comment":"the glass %06d"}', n % 10, n))
  end
end
request = function()
  number = number % 1000 + 1
  return all[number]
end
"""
TOOLS = {"redis-server": "redis-server", "redis-benchmark": "redis-tools", "wrk": "wrk",
         "gcc": "gcc"}

BARE = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static double now(void) {
    struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9;
}
int main(int count, char **words) {
    int size = atoi(words[2]); double seconds = atof(words[3]); long done = 0;
    int file = open(words[1], O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    char *line = malloc(size); memset(line, 'x', size);
    double start = now();
    while (now() - start < seconds) {
        if (write(file, line, size) != size || fdatasync(file)) return 1;
        done++;
    }
    printf("%f\n", done / (now() - start));
    (void)count; return 0;
}
"""

SLOW = r"""
#include <sys/syscall.h>
#include <unistd.h>
int fdatasync(int file) { usleep(300000); return syscall(SYS_fdatasync, file); }
"""


@dataclass
class Load:
    """The figures of wrk: requests a second, and the times of answers in ms."""
    rate: float
    p99: float
    longest: float


class Bench:
    nowhere = NOWHERE

    def __init__(self, folder, seconds):
        self.folder = folder
        self.seconds = seconds
        self.count = 0
        self.relays = []
        # The most presses a second that were seen here so far; a bold guess at first.
        self.fastest = 160_000
        self._line = None
        self.bare_program = self.compile("bare", BARE)
        self.slow_library = self.compile("slow.so", SLOW, "-shared", "-fPIC")
        self.post = self._script("POST", PAYLOAD)
        self.get = self._script("GET", "")
        self.different = f"{folder}/different.lua"
        with open(self.different, "w") as file:
            file.write(DIFFERENT)

    def compile(self, name, source, *flags):
        path = f"{self.folder}/{name}"
        with open(f"{path}.c", "w") as file:
            file.write(source)
        subprocess.run(["gcc", "-O2", "-w", *flags, "-o", path, f"{path}.c"], check=True)
        return path

    def _script(self, method, body):
        path = f"{self.folder}/{method}.lua"
        with open(path, "w") as file:
            file.write(f"wrk.method = '{method}'\nwrk.body = '{body}'\n")
        return path

    def new(self, name):
        self.count += 1
        path = f"{self.folder}/{name}-{self.count}"
        return path

    # The relay

    def relay(self, data=None, beeminder=NOWHERE, **options):
        data = data or self.new("data")
        token = self._token(data)
        relay = Relay(data, token, beeminder, **options)
        self.relays.append(relay)
        return relay.wait_ready(60), data

    @staticmethod
    def free_port():
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    @staticmethod
    def await_port(port):
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"nothing listens on {port}")

    @staticmethod
    def _token(data):
        done = subprocess.run([BINARY, "device", "add", f"d{time.monotonic_ns()}", "--data", data],
                              capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def wrk(self, relay, script, path, connections, seconds=None):
        """The load that one thread of wrk could put on; it takes whole seconds, or is stopped."""
        seconds = seconds or self.seconds
        stop = ["timeout", "--preserve-status", "-s", "INT", str(seconds)] if seconds < 1 else []
        done = subprocess.run(
            [*stop, "wrk", "-t1", f"-c{connections}", f"-d{max(1, int(seconds))}s", "--latency",
             "--timeout", "60s", "-s", script, "-H", f"Authorization: Bearer {relay.token}",
             f"http://127.0.0.1:{relay.port}{path}"],
            capture_output=True, text=True, check=True).stdout
        if "Non-2xx" in done or "Socket errors" in done:
            sys.exit(f"not all were answered well:\n{done}")
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done).group(1))
        p99 = _milliseconds(re.search(r"99%\s+([\d.]+)(us|ms|s)", done))
        # Average, deviation, and then the longest.
        latency = re.search(r"Latency(?:\s+[\d.]+[a-z]+){2}\s+([\d.]+)(us|ms|s)", done)
        return Load(rate, p99, _milliseconds(latency))

    def press_seconds(self, rate=0):
        """How long presses may come at this rate, or at the highest so far, while nothing is delivered: one device may
        hold four fifths of what may wait, and a press counts with the line of its outcome, a third more."""
        most = 0.6 * HELD_BYTES / (self.line_bytes() * (rate or self.fastest))
        return min(self.seconds, most)

    def press_rate(self, connections, script=None):
        relay, data = self.relay()
        load = self.wrk(relay, script or self.post, "/log", connections, self.press_seconds())
        self.fastest = max(self.fastest, load.rate)
        relay.kill()
        shutil.rmtree(data)
        return load.rate

    # The others

    def redis_rate(self, connections, requests):
        folder = self.new("redis")
        os.mkdir(folder)
        port = self.free_port()
        server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder,
             "--appendonly", "yes", "--appendfsync", "always", "--save", "",
             "--auto-aof-rewrite-percentage", "0"], stdout=subprocess.DEVNULL)
        try:
            self.await_port(port)
            done = subprocess.run(
                ["redis-benchmark", "-p", str(port), "-c", str(connections), "-n", str(requests),
                 "--csv", "XADD", "log", "*", "press", PAYLOAD],
                capture_output=True, text=True, check=True).stdout
            # The name of the test comes first and holds quotes itself.
            return float(re.findall(r'"(\d+\.\d+)"', done.splitlines()[-1])[0])
        finally:
            server.terminate()
            server.wait(20)
            shutil.rmtree(folder)

    def bare_rate(self, size):
        path = self.new("bare")
        done = subprocess.run([self.bare_program, path, str(size), str(self.seconds)],
                              capture_output=True, text=True, check=True)
        os.unlink(path)
        return float(done.stdout)

    def line_bytes(self):
        """How long the journal's line of this payload is."""
        if self._line:
            return self._line
        relay, data = self.relay()
        with relay.connect() as connection:
            names = [name for name in os.listdir(f"{data}/journal") if name.endswith(".jnl")]
            path = f"{data}/journal/{max(names)}"
            before = os.path.getsize(path)
            connection.ask("POST", "/log", PAYLOAD.encode())
            size = os.path.getsize(path) - before
        relay.kill()
        shutil.rmtree(data)
        self._line = size
        return size


def _milliseconds(match):
    return float(match.group(1)) * {"us": 0.001, "ms": 1, "s": 1_000}[match.group(2)]


# The table

class Table:
    def __init__(self):
        print(f"{'work':48}{'relay':>12}{'beside':>12}{'ratio':>8}   bar")

    @staticmethod
    def row(work, relay, beside, ratio, bar, isMet):
        mark = "" if isMet else "   MISSED"
        relay, beside = ("" if figure is None else figure if isinstance(figure, str)
                         else f"{figure:,.0f}" for figure in (relay, beside))
        ratio = "" if ratio is None else f"{ratio:.2f}"
        print(f"{work:48}{relay:>12}{beside:>12}{ratio:>8}   {bar}{mark}", flush=True)


def in_turns(repeat, *measures):
    """The median of each, measured in turns."""
    results = [[] for _ in measures]
    for _ in range(repeat):
        for measure, values in zip(measures, results):
            values.append(measure())
    return [statistics.median(values) for values in results]


def against_redis(bench, table, repeat):
    for connections, requests in ((64, 120_000), (256, 120_000), (1, 10_000)):
        same, other, theirs = in_turns(
            repeat, lambda: bench.press_rate(connections),
            lambda: bench.press_rate(connections, bench.different),
            lambda: bench.redis_rate(connections, requests))
        bar = 1.0 if connections > 1 else None
        for ours, bodies in ((same, ""), (other, ", bodies differ")):
            ratio = ours / theirs
            table.row(f"POST /log, {connections} conn.{bodies} / Redis XADD", ours, theirs, ratio,
                      f">= {bar}" if bar else "", bar is None or ratio >= bar)


def against_bare(bench, table, repeat):
    size = bench.line_bytes()
    ours, bare = in_turns(
        repeat, lambda: bench.press_rate(1), lambda: bench.bare_rate(size))
    table.row(f"POST /log, 1 conn. / write+fdatasync of {size} B", ours, bare, ours / bare,
              ">= 0.8", ours / bare >= 0.8)


def slow_disk(bench, table, repeat):
    rounds = [_slow_round(bench) for _ in range(repeat)]
    rate, p99 = (statistics.median(values) for values in zip(*rounds))
    # A hundred share one sync or two, so 100 take 0.6 s and what the disk itself needs.
    table.row("sync of 300 ms: presses/s of 100 clients", rate, None, None, ">= 150",
              rate >= 150)
    table.row("sync of 300 ms: GET /context p99, ms", f"{p99:.2f}", None, None, "< 5", p99 < 5)


def _slow_round(bench):
    """(presses a second of 100 clients, 99th percentile of a context asked for meanwhile)."""
    relay, data = bench.relay(environment={"LD_PRELOAD": bench.slow_library}, wrap=["env"])
    presses = []
    thread = threading.Thread(
        target=lambda: presses.append(bench.wrk(relay, bench.post, "/log", 100, 5)))
    thread.start()
    time.sleep(1)
    p99 = bench.wrk(relay, bench.get, "/context", 1, 3).p99
    thread.join()
    relay.kill()
    shutil.rmtree(data)
    return presses[0].rate, p99


def many_pending(bench, table, repeat):
    template = _with_pending(bench, 100_000)
    full, empty = [], []
    for _ in range(repeat):
        copy = bench.new("full")
        subprocess.run(["cp", "-a", template, copy], check=True)
        full.append(_life(bench, copy))
        empty.append(_life(bench, None))
    full, empty = ([statistics.median(values) for values in zip(*lives)]
                   for lives in (full, empty))
    for index, work in enumerate(("POST /log, 64 conn.", "GET /context, 64 conn.")):
        ratio = full[index] / empty[index]
        table.row(f"100,000 pending / none: {work}", full[index], empty[index], ratio,
                  ">= 0.91", ratio >= 1 / 1.1)
    table.row("100,000 pending: start to ready, ms", full[2], empty[2], None, "< 1000",
              full[2] < 1_000)
    table.row("100,000 pending: VmRSS, MB", full[3], empty[3], None, "< 150", full[3] < 150)


def _with_pending(bench, count):
    relay, data = bench.relay()
    while relay.health()[1]["queued"] < count // 2:
        bench.wrk(relay, bench.post, "/log", 16, 1)
    request = request_bytes("POST", "/log", relay.token, PAYLOAD.encode())
    while (left := count - relay.health()[1]["queued"]) > 0:
        burst(relay.port, [request] * min(left, 500))
    relay.end(60)
    return data


def _life(bench, data):
    """(presses a second, contexts a second, ms until ready, MB resident) of one start."""
    relay, data = bench.relay(data)
    resident = relay.resident_kilobytes() / 1_024
    contexts = bench.wrk(relay, bench.get, "/context", 64, 2).rate
    # So short, since no more may wait beside 100,000.
    presses = bench.wrk(relay, bench.post, "/log", 64, 0.5).rate
    relay.kill()
    shutil.rmtree(data)
    return presses, contexts, relay.ready_seconds * 1_000, resident


PARTS = {"redis": against_redis, "bare": against_bare, "slow": slow_disk,
         "pending": many_pending, "history": past.history, "rotation": past.rotation}


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--seconds", type=int, default=3)
    options.add_argument("--only", help="one part: " + ", ".join(PARTS))
    options.add_argument("--dir", default=os.path.join(ROOT, ".build"))
    chosen = options.parse_args()
    missing = [f"{tool} (Debian: {package})" for tool, package in TOOLS.items()
               if shutil.which(tool) is None]
    if not os.path.exists(BINARY):
        missing.append("the release build (swift build -c release)")
    if missing:
        print(f"missing: {', '.join(missing)}", file=sys.stderr)
        sys.exit(2)
    folder = tempfile.mkdtemp(prefix="bench-", dir=chosen.dir and os.path.realpath(chosen.dir))
    bench, table = Bench(folder, chosen.seconds), Table()
    try:
        for name, part in PARTS.items():
            if chosen.only in (None, name):
                part(bench, table, chosen.repeat)
    finally:
        for relay in bench.relays:
            relay.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
