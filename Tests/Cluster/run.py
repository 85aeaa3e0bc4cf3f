#!/usr/bin/env python3
"""Faults in a cluster of three: real members of etcd, real relays, devices that press without pause.

    Tests/Cluster/run.py [--faults N] [--seed N] [--keep]

Wants root, Linux, iproute2, etcd-server and etcd-client (Debian). Counts what was acknowledged, lost,
doubled and out of order, and measures the silence after each kind of fault.
"""

import argparse
import collections
import os
import random
import shutil
import signal
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import faults  # noqa: E402
from devices import Device, silence_after  # noqa: E402
from world import BINARY, FAKETIME, World  # noqa: E402

GOALS = ["pushups", "water", "reading"]
SETTLE_SECONDS = 25


def inject(world, devices, fault, chance):
    """Begins one fault, waits, ends it, and waits until presses are taken again.

    Returns the silence in seconds."""
    moment = time.monotonic()
    machine = fault.begin(world, chance)
    time.sleep(fault.seconds)
    fault.end(world, machine)
    until = time.monotonic() + SETTLE_SECONDS
    while (silence := silence_after(devices, moment)) is None:
        if time.monotonic() > until:
            raise AssertionError(f"{fault.name}: silent for {SETTLE_SECONDS} s after its end")
        time.sleep(0.1)
    # The next fault meets three healthy machines.
    world.await_leader(30)
    time.sleep(1.5)
    return silence


def drain(world, devices, seconds=90):
    """Waits until Beeminder has what was acknowledged; returns it by goal."""
    wanted = {identifier for device in devices for identifier in device.acknowledged}
    until = time.monotonic() + seconds
    while True:
        found = {goal: world.datapoints(goal) for goal in GOALS}
        comments = {point["comment"] for points in found.values() for point in points}
        if wanted <= comments or time.monotonic() > until:
            return found
        time.sleep(1)


def judge(devices, found):
    """What was lost, doubled and out of order."""
    lost, doubled, disordered = [], [], []
    for device in devices:
        points = [point["comment"] for point in found[device.goal]
                  if point["comment"].startswith(f"{device.label}-")]
        counts = collections.Counter(points)
        lost += [name for name in device.acknowledged if not counts[name]]
        doubled += [name for name, count in counts.items() if count > 1]
        numbers = [int(name.rsplit("-", 1)[1]) for name in points]
        disordered += [points[at + 1] for at in range(len(numbers) - 1)
                       if numbers[at + 1] < numbers[at]]
    return lost, doubled, disordered


def report(devices, found, silences, seconds):
    lost, doubled, disordered = judge(devices, found)
    acknowledged = sum(len(device.acknowledged) for device in devices)
    answers = sum((collections.Counter(device.answers) for device in devices),
                  collections.Counter())
    print(f"\n{sum(map(len, silences.values()))} faults in {seconds:.0f} s; acknowledged "
          f"{acknowledged}, lost {len(lost)}, doubled {len(doubled)}, out of order "
          f"{len(disordered)}")
    print("answers by status (0: none): "
          + ", ".join(f"{status}: {count}" for status, count in sorted(answers.items())))
    print(f"\n| fault | times | silence, median | longest |\n|---|---|---|---|")
    for name, values in silences.items():
        print(f"| {name} | {len(values)} | {statistics.median(values):.1f} s "
              f"| {max(values):.1f} s |")
    for words, names in (("lost", lost), ("doubled", doubled), ("out of order", disordered)):
        if names:
            print(f"{words}: {', '.join(names[:10])}")
    return bool(lost or doubled or disordered)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--faults", type=int, default=20)
    options.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "1")))
    options.add_argument("--only", help="faults whose name contains this")
    options.add_argument("--keep", action="store_true", help="keep logs and data")
    chosen = options.parse_args()
    kinds = [fault for fault in faults.ALL if not chosen.only or chosen.only in fault.name]
    if not FAKETIME:
        kinds = [fault for fault in kinds if "clock" not in fault.name]
    for tool in ("ip", "etcd", "etcdctl"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing: apt-get install iproute2 etcd-server etcd-client")
    if not os.path.exists(BINARY):
        sys.exit(f"{BINARY} is missing; run: make program")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(live(chosen, kinds))


def live(chosen, kinds):
    chance = random.Random(chosen.seed)
    world = World()
    begin = time.monotonic()
    is_bad = True
    try:
        world.start()
        token = world.device_token()
        addresses = [machine.address for machine in world.machines]
        devices = [Device(f"d{n}", GOALS[n % len(GOALS)], token,
                          addresses[n % 3:] + addresses[:n % 3], 0.2) for n in range(6)]
        for device in devices:
            device.start()
        time.sleep(3)
        silences = {fault.name: [] for fault in kinds}
        for count in range(chosen.faults):
            # Every kind comes as often, in an order of chance.
            if count % len(kinds) == 0:
                order = chance.sample(kinds, len(kinds))
            fault = order[count % len(kinds)]
            silence = inject(world, devices, fault, chance)
            silences[fault.name].append(silence)
            print(f"{count + 1:4} {fault.name:30} silence {silence:.1f} s", flush=True)
        for device in devices:
            device.is_ending = True
        for device in devices:
            device.join(60)
        found = drain(world, devices)
        is_bad = report(devices, found, {k: v for k, v in silences.items() if v},
                        time.monotonic() - begin)
    finally:
        world.close()
        if is_bad or chosen.keep:
            print(f"logs and data: {world.folder}")
        else:
            shutil.rmtree(world.folder, ignore_errors=True)
    return 1 if is_bad else 0


if __name__ == "__main__":
    main()
