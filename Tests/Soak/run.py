#!/usr/bin/env python3
"""Hours of a relay's life in minutes: random devices, kills, orderly restarts, outages of Beeminder.

    Tests/Soak/run.py MINUTES

The release binary runs as relay and as the simulated Beeminder. Devices send presses with ids, one by
one and as queues, and send each again until it is answered. In the first third of the time the relay is
killed and restarted, and Beeminder fails, at random; then one process lives to the end, with outages.
In the end every press must be at Beeminder exactly once with its value, and over the life of that last
process descriptors must not have grown, nor memory by more than the journal explains; the rewrites of the
journal must keep both below their bounds. TRACE=1 prints each sample. PROGRAM is another build; SEED=42
repeats a run's choices.
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PROGRAM", ROOT / ".build/release/beemed-relay")
GOALS = ["water", "pushups"]
DEVICES = 6
TOKEN = "simulated-token"
# Delivered events that the relay keeps; until there are so many, memory and journal grow.
KEPT = 100_000
# Presses that may wait: devices pause above it, since what waits takes memory, and the simulated
# Beeminder may be slower than they are.
MOST_QUEUED = 3_000
# What no sample may exceed: memory (most of it during a rewrite of the journal, which reads all of it) and
# journal in KiB, and descriptors.
MOST = {"resident memory": 240 << 10, "descriptors": 64, "journal": 200 << 10}
# KiB of memory for each KiB by which the journal grows: a delivered event takes some 250 bytes, its lines 340.
MOST_MEMORY_OF_JOURNAL = 1.0


def start(*arguments, **environment):
    process = subprocess.Popen(
        [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, **environment})
    line = process.stdout.readline()
    assert line.startswith("Listening on http://"), line
    threading.Thread(target=process.stdout.read, daemon=True).start()
    return process, line.removeprefix("Listening on http://").strip()


def ask(address, method, path, body=None, token=None, timeout=20):
    connection = http.client.HTTPConnection(address, timeout=timeout)
    try:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if isinstance(body, dict) and not token:
            body = urllib.parse.urlencode(body)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif body is not None:
            body = json.dumps(body)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Relay:
    """The relay, and its restarts."""

    def __init__(self, folder, beeminder):
        self.folder, self.beeminder = folder, beeminder
        self.kills = self.restarts = 0
        self.address = None
        self.run()

    def run(self):
        listen = self.address or "127.0.0.1:0"
        self.process, self.address = start(
            "serve", "--data", self.folder, "--listen", listen, "--rate-limit", "off",
            "--beeminder-url", f"http://{self.beeminder}/api/v1/", BEEMINDER_AUTH_TOKEN=TOKEN)

    def end(self, kind):
        self.process.send_signal(kind)
        code = self.process.wait(timeout=60)
        expected = 0 if kind == signal.SIGTERM else -signal.SIGKILL
        assert code == expected, code

    def again(self, kind):
        self.end(kind)
        if kind == signal.SIGTERM:
            self.restarts += 1
        else:
            self.kills += 1
        self.run()

    def sample(self):
        """Resident memory in KiB, descriptors, the journal's size in KiB, and its oldest file, which changes with
        each rewrite."""
        proc = pathlib.Path("/proc", str(self.process.pid))
        memory = next(
            int(line.split()[1]) for line in (proc / "status").read_text().splitlines()
            if line.startswith("VmRSS"))
        sizes = {}
        for file in pathlib.Path(self.folder, "journal").glob("*.jnl"):
            with contextlib.suppress(FileNotFoundError):  # A rewrite has just removed it.
                sizes[file.name] = file.stat().st_size
        return memory, len(list((proc / "fd").iterdir())), sum(sizes.values()) >> 10, min(sizes)


class Device(threading.Thread):
    """Sends presses, each until it is answered with 200."""

    # Not set while too many presses wait.
    may_press = threading.Event()

    def __init__(self, number, relay, token, seed, pause):
        super().__init__(daemon=True)
        self.name, self.relay, self.token = f"device-{number}", relay, token
        self.random = random.Random(seed)
        self.pause = pause
        self.sent = {}
        self.resent = 0
        self.failure = None
        self.count = 0
        self.ends = threading.Event()

    def press(self):
        self.count += 1
        return {
            "goal": self.random.choice(GOALS), "value": self.random.randint(1, 99),
            "id": f"{self.count}", "comment": "soak" * self.random.randint(0, 8)}

    def run(self):
        try:
            while not self.ends.is_set():
                if not Device.may_press.wait(0.1):
                    continue
                isQueue = self.random.random() < 0.3
                events = [self.press() for _ in range(self.random.randint(2, 40) if isQueue else 1)]
                self.deliver(events, isQueue)
                if self.random.random() < 0.02:  # The answer was lost: the same again.
                    self.resent += 1
                    self.deliver(events, isQueue)
                time.sleep(self.random.random() * self.pause)
        except Exception as error:
            self.failure = error

    def deliver(self, events, isQueue):
        path, body = ("/events", events) if isQueue else ("/log", events[0])
        while True:
            try:
                status, answer = ask(self.relay.address, "POST", path, body, self.token)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if status == 200 and (not isQueue or json.loads(answer).get("ok", True)):
                break
            assert status in (429, 503, 507), (status, answer)
            time.sleep(0.2)
        for event in events:
            self.sent[event["id"]] = (event["goal"], event["value"])


def delivered(beeminder):
    """All datapoints with a request id: how often, and with which goal and value."""
    found = {}
    for goal in GOALS:
        status, body = ask(
            beeminder, "GET", f"/api/v1/users/me/goals/{goal}/datapoints.json?auth_token={TOKEN}",
            timeout=120)
        assert status == 200, body
        for point in json.loads(body):
            if point.get("requestid"):
                found.setdefault(point["requestid"], []).append((goal, point["value"]))
    return found


def trouble(relay, beeminder, chance, minutes, restarts, sample):
    """Outages, and kills and restarts if they are wanted, until the time is over."""
    end = time.monotonic() + minutes * 60
    outages = 0
    while time.monotonic() < end:
        time.sleep(min(chance.uniform(1, 5), max(0.1, end - time.monotonic())))
        sample()
        dice = chance.random()
        if restarts and dice < 0.3:
            relay.again(signal.SIGKILL if dice < 0.15 else signal.SIGTERM)
        elif 0.3 < dice < 0.4:
            outages += 1
            ask(beeminder, "POST", "/control/faults", {"mood": "status", "status": "503"})
            time.sleep(chance.uniform(0.5, 3))
            ask(beeminder, "POST", "/control/faults", {"mood": "good"})
    return outages


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    chance = random.Random(seed)
    print(f"seed {seed}, {minutes:g} minutes")
    simulator, beeminder = start("simulator", "--listen", "127.0.0.1:0")
    with tempfile.TemporaryDirectory() as folder:
        relay = Relay(folder, beeminder)
        try:
            owner = pathlib.Path(folder, "owner-token").read_text().strip()
            devices = []
            for number in range(DEVICES):
                _, made = ask(
                    relay.address, "POST", "/devices", {"name": f"device-{number}"}, owner)
                token = json.loads(made)["token"]
                devices.append(Device(number, relay, token, seed + number, 0.05))
            Device.may_press.set()
            for device in devices:
                device.start()
            lives = [[], []]
            outages = 0

            def sample(samples):
                body = ask(relay.address, "GET", "/healthz", token=owner)[1]
                queued = json.loads(body)["queued"]
                (Device.may_press.set if queued < MOST_QUEUED else Device.may_press.clear)()
                pressed = sum(device.count for device in devices)
                samples.append((pressed, *relay.sample(), queued))
                if os.environ.get("TRACE"):
                    print(samples[-1], flush=True)

            for life, samples in enumerate(lives):
                outages += trouble(
                    relay, beeminder, chance, minutes * (life + 1) / 3, life == 0,
                    lambda: sample(samples))
            Device.may_press.set()
            for device in devices:
                device.ends.set()
            for device in devices:
                device.join(timeout=120)
                assert not device.is_alive() and device.failure is None, device.failure
            deadline = time.monotonic() + 300
            while json.loads(ask(relay.address, "GET", "/context", token=owner)[1])["queued"]:
                assert time.monotonic() < deadline, "the queue is not empty"
                time.sleep(0.5)
            check(relay, beeminder, devices, outages)
            flat(lives)
            relay.end(signal.SIGTERM)
        finally:
            for process in (relay.process, simulator):
                if process.poll() is None:
                    process.kill()


def check(relay, beeminder, devices, outages):
    found = delivered(beeminder)
    book = json.loads(pathlib.Path(relay.folder, "devices.json").read_text())
    records = book["devices"] if isinstance(book, dict) else book
    total = 0
    for device in devices:
        record = next(record for record in records if record["name"] == device.name)
        for name, (goal, value) in device.sent.items():
            total += 1
            points = found.pop(f"{device.name}-{record['generation']}.{name}", None)
            assert points == [(goal, value)], (device.name, name, goal, value, points)
    assert not found, f"nobody sent {list(found)[:5]}"
    resent = sum(device.resent for device in devices)
    print(
        f"{total} presses, each once at Beeminder with its value; {resent} answers taken for lost, "
        f"{relay.kills} kills, {relay.restarts} restarts, {outages} outages")


def slope(places, values):
    """Of the line of least squares through these points."""
    middle, mean = statistics.fmean(places), statistics.fmean(values)
    above = sum((place - middle) * (value - mean) for place, value in zip(places, values))
    return above / sum((place - middle) ** 2 for place in places)


def flat(lives):
    """Nothing exceeds its bound, and over the last process's life nothing grows that the journal does not
    explain.

    Delivered events beyond those that are kept are forgotten when the journal is rewritten, which is when
    three quarters of it are dead. Until then journal and memory grow together; each rewrite takes both back.
    """
    print(f"waiting: at most {max(sample[5] for life in lives for sample in life)}")
    for place, (name, most) in enumerate(MOST.items(), start=1):
        highest = max(sample[place] for life in lives for sample in life)
        print(f"{name}: at most {highest}")
        assert highest <= most, f"{name}: {highest} is above {most}"
    # What was allocated for the first time is no growth.
    settled = [sample for sample in lives[1] if sample[0] > KEPT * 1.2]
    if len(settled) < 30:
        return print(f"too short to judge growth: {len(settled)} samples of a settled process")
    third = len(settled) // 3
    descriptors = [sample[2] for sample in settled]
    first, last = max(descriptors[:third]), max(descriptors[-third:])
    print(f"descriptors: at most {first} in the first third, {last} in the last")
    assert last <= first + 4, "descriptors grow"
    cycles = [[settled[0]]]
    for sample in settled[1:]:
        if sample[4] != cycles[-1][-1][4]:
            cycles.append([])
        cycles[-1].append(sample)
    for cycle in cycles:
        # The rewrite that ends a cycle reads all of the journal; what that takes is given back.
        cycle = cycle[:len(cycle) * 2 // 3]
        if len(cycle) < 10:
            continue
        rise = slope([sample[3] for sample in cycle], [sample[1] for sample in cycle])
        print(f"memory from {cycle[0][1]} to {cycle[-1][1]} KiB while the journal goes from {cycle[0][3]} to "
              f"{cycle[-1][3]} KiB: {rise:.2f} KiB a KiB, {len(cycle)} samples")
        assert rise < MOST_MEMORY_OF_JOURNAL, "memory grows by more than the journal explains"
    if len(cycles) > 2:
        first, last = (min(sample[1] for sample in cycle) for cycle in (cycles[1], cycles[-1]))
        print(f"least memory after the first rewrite: {first} KiB, after the last: {last} KiB")
        assert last <= first * 1.2, "a rewrite does not give back what the one before it gave back"


if __name__ == "__main__":
    main()
