#!/usr/bin/env python3
"""The cost of a press in a cluster, beside etcd alone doing the same transactions, in one run.

    Benchmarks/cluster.py [--repeat 5] [--seconds 3] [--dir FOLDER]

Three members of etcd, a relay that leads and one that follows, all on this machine. Needs etcd, wrk
(Debian: etcd-server wrk) and the release build. Every group is measured in turns, so that a noisy
machine is noisy to all; the numbers are medians. FOLDER must be on the disk that is meant.
"""

import os
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
# Instead of this folder, whose http.py would hide Python's own.
sys.path[0] = os.path.join(ROOT, "Tests/Faults")

import argparse  # noqa: E402
import base64  # noqa: E402
import contextlib  # noqa: E402
import http.client  # noqa: E402
import json  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import socket  # noqa: E402
import statistics  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import urllib.request  # noqa: E402

from rig.relay import BINARY  # noqa: E402

CONNECTIONS = [1, 64, 256]
PAYLOAD = '{"goal":"water","value":0.25,"comment":"a glass of water"}'
# About as long as the journal's line of that press.
LINE = b"x" * 219 + b"\n"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def until(found, what, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError):
            if value := found():
                return value
        time.sleep(0.1)
    sys.exit(f"{what} is missing after {seconds} s")


class Cluster:
    """Three members of etcd and two relays, ended by their process ids."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        peers = [free_port() for _ in range(3)]
        self.members = [free_port() for _ in range(3)]
        names = ",".join(f"m{n}=http://127.0.0.1:{port}" for n, port in enumerate(peers))
        for n, (peer, client) in enumerate(zip(peers, self.members)):
            self.start(
                "etcd", "--name", f"m{n}", "--data-dir", f"{folder}/m{n}",
                "--listen-client-urls", f"http://127.0.0.1:{client}",
                "--advertise-client-urls", f"http://127.0.0.1:{client}",
                "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                "--initial-cluster", names, "--initial-cluster-token", "bench",
                "--logger", "zap", "--log-level", "error")
        until(lambda: self.answers(self.members[0]), "etcd")
        self.leader = self.relay("leader")
        until(lambda: self.role(self.leader) == "leader", "a leader")
        self.follower = self.relay("follower")
        until(lambda: self.role(self.follower) == "follower", "a follower")
        steps = open(f"{folder}/leader/first-steps").read()
        self.token = steps.split("Bearer ")[1].split('"')[0]

    def start(self, *words, **environment):
        log = open(f"{self.folder}/log-{len(self.processes)}", "wb")
        self.processes.append(subprocess.Popen(
            words, stdout=log, stderr=log, env={"PATH": os.environ["PATH"], **environment}))

    def relay(self, name):
        port = free_port()
        members = ",".join(f"127.0.0.1:{member}" for member in self.members)
        self.start(
            BINARY, "serve", "--data", f"{self.folder}/{name}", "--listen", f"127.0.0.1:{port}",
            "--rate-limit", "off", "--store", f"etcd://{members}/bench", "--lease", "10",
            "--beeminder-url", "http://127.0.0.1:9", "--trusted-proxy", "127.0.0.1",
            BEEMINDER_AUTH_TOKEN="x", HOME="/")
        return port

    @staticmethod
    def answers(port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
            return answer.status == 200

    @staticmethod
    def role(port):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as answer:
                return json.load(answer).get("role")
        except urllib.error.HTTPError as error:
            return json.load(error).get("role")

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def encode(content):
    return base64.b64encode(content).decode()


class Alone:
    """The transactions of a journal, one after the other on one connection, without a relay."""

    def __init__(self, member):
        self.connection = http.client.HTTPConnection("127.0.0.1", member, timeout=10)
        self.number = 0
        answer = self.call("kv/put", {"key": encode(b"/bench/leader"), "value": encode(b"x")})
        self.epoch = answer["header"]["revision"]

    def call(self, path, body):
        self.connection.request("POST", f"/v3/{path}", json.dumps(body))
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            sys.exit(f"etcd says {answer.status}: {content[:200]}")
        return json.loads(content)

    def batch(self, size):
        self.number += 1
        key = encode(b"/bench/journal/%016x" % self.number)
        look = [{"requestRange": {"key": encode(b"/bench/leader")}}, {"requestRange": {"key": key}}]
        answer = self.call("kv/txn", {
            "compare": [
                {"key": encode(b"/bench/leader"), "target": "CREATE", "result": "EQUAL",
                 "create_revision": self.epoch},
                {"key": key, "target": "CREATE", "result": "EQUAL", "create_revision": "0"}],
            "success": [{"requestPut": {"key": key, "value": encode(LINE * size)}}],
            "failure": look})
        if not answer.get("succeeded"):
            sys.exit(f"a transaction of its own failed: {answer}")

    def rate(self, size, seconds):
        """Records a second, and the median time of a transaction in ms."""
        times = []
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            start = time.monotonic()
            self.batch(size)
            times.append(time.monotonic() - start)
        elapsed = time.monotonic() - begin
        return size * len(times) / elapsed, 1_000 * statistics.median(times)


def press_rate(cluster, port, connections, seconds, script):
    """Presses a second, and the median time of an answer in ms."""
    done = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "60s",
         "-s", script, "-H", f"Authorization: Bearer {cluster.token}",
         f"http://127.0.0.1:{port}/log"], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in done or "Socket errors" in done:
        sys.exit(f"not all were answered well:\n{done}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done).group(1))
    value, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", done).groups()
    return rate, float(value) * {"us": 0.001, "ms": 1, "s": 1_000}[unit]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeat", type=int, default=5)
    options.add_argument("--seconds", type=int, default=3)
    options.add_argument("--dir", default=None)
    chosen = options.parse_args()
    for tool in ("etcd", "wrk"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: apt-get install etcd-server wrk")
    folder = tempfile.mkdtemp(prefix="beemed-bench-", dir=chosen.dir)
    cluster = None
    try:
        cluster = Cluster(folder)
        script = f"{folder}/post.lua"
        with open(script, "w") as file:
            file.write(f"wrk.method = 'POST'\nwrk.body = '{PAYLOAD}'\n")
        alone = Alone(cluster.members[0])
        figures = {}
        for _ in range(chosen.repeat):
            for count in CONNECTIONS:
                for name, measured in (
                        ("etcd", alone.rate(count, chosen.seconds)),
                        ("leader", press_rate(
                            cluster, cluster.leader, count, chosen.seconds, script)),
                        ("follower", press_rate(
                            cluster, cluster.follower, count, chosen.seconds, script))):
                    figures.setdefault((count, name), []).append(measured)
        print_table(figures)
    finally:
        if cluster:
            cluster.end()
        shutil.rmtree(folder, ignore_errors=True)


def print_table(figures):
    print("presses a second, the median time of an answer, and the share of etcd's rate")
    for count in CONNECTIONS:
        base = statistics.median(rate for rate, _ in figures[count, "etcd"])
        for name in ("etcd", "leader", "follower"):
            rate = statistics.median(rate for rate, _ in figures[count, name])
            time_ = statistics.median(time for _, time in figures[count, name])
            print(f"{count:4} {name:9}{rate:10,.0f} /s {time_:8.2f} ms  {rate / base:.2f}")


if __name__ == "__main__":
    main()
