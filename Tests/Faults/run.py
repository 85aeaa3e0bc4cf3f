#!/usr/bin/env python3
"""Breaks everything around the release binary, from the outside, and checks the promises.

    Tests/Faults/run.py [--seed N] [--list] [CASE...]

FULL=1 runs the full counts. Where CI is set, a missing tool is a failure and not a skip.
"""

import argparse
import importlib
import os
import signal
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from rig import machine  # noqa: E402
from rig.case import ALL, Skip  # noqa: E402
from rig.checker import check  # noqa: E402
from rig.relay import BINARY  # noqa: E402
from rig.stage import Stage  # noqa: E402

CHAPTERS = ["kills", "past", "disks", "room", "chance", "damage", "health", "tampering", "folders",
            "clients", "upstream", "hostile", "network", "clocks", "powercut"]


def missing(case):
    return [tool for tool in case.needs if not machine.has(tool)]


def judge(case, seed, full):
    """('passed' | 'failed' | 'skipped', words)"""
    absent = missing(case)
    if absent:
        demanded = os.environ.get("CI") and any(tool in machine.PACKAGES for tool in absent)
        return "failed" if demanded else "skipped", f"missing: {', '.join(absent)}"
    if "strace" in case.needs and not machine.may_trace():
        return "skipped", "strace may not trace here"
    stage = Stage(case.name, seed, full)
    try:
        case.run(stage)
        check(stage)
        return "passed", "; ".join(stage.notes)
    except Skip as reason:
        return "skipped", str(reason)
    except Exception as error:  # Whatever it is, the next case must run.
        if os.environ.get("TRACE"):
            traceback.print_exc()
            for relay in stage.relays[-1:]:
                print(relay.words[-2000:])
        words = f"{type(error).__name__}: {error}" if not isinstance(
            error, AssertionError) else str(error)
        return "failed", "; ".join([words, *stage.notes])
    finally:
        stage.close()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cases", nargs="*")
    options.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "1")))
    options.add_argument("--list", action="store_true")
    chosen = options.parse_args()
    for chapter in CHAPTERS:
        importlib.import_module(f"cases.{chapter}")
    cases = [case for case in ALL if not chosen.cases or case.name in chosen.cases]
    if chosen.list:
        return print("\n".join(f"{case.name:32} {case.row}" for case in cases))
    if not os.path.exists(BINARY):
        sys.exit(f"{BINARY} is missing; run: swift build -c release")
    machine.install_missing({tool for case in cases for tool in case.needs})
    # Asked to end, it still takes down what it has mounted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(run(cases, chosen.seed, bool(os.environ.get("FULL"))))


def run(cases, seed, full):
    print(f"seed {seed}{', full' if full else ''}", flush=True)
    tally = {"passed": 0, "failed": 0, "skipped": 0}
    failures = []
    for case in cases:
        start = time.monotonic()
        verdict, words = judge(case, seed, full)
        tally[verdict] += 1
        seconds = time.monotonic() - start
        words = " ".join(words.split())
        line = f"{verdict:8}{seconds:6.1f} s  {case.name:30} {words or case.row}"
        print(line, flush=True)
        if verdict == "failed":
            failures.append(line)
    # Once more where a log that was cut still shows it.
    print("\n".join(failures), end="\n" if failures else "")
    print(", ".join(f"{count} {verdict}" for verdict, count in tally.items()))
    return 1 if tally["failed"] else 0


if __name__ == "__main__":
    main()
