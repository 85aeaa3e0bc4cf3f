#!/usr/bin/env python3
"""Which functions one press runs through: the first press of a connection at the release binary,
from before its bytes arrive until the 200 is handed to the system (callgrind; Debian: valgrind).

    Benchmarks/trace.py [--list] [--keep FILE]

Counts the functions of this program, accessors and closures included, whose lines run, inlined or
not, their files, and these lines. `--list` prints the functions by file; FILE gets the profile. Of some
presses the one with the fewest lines counts: during another a delivery may have failed or a timer run out.
"""

import argparse
import collections
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

from instructions import BINARY, BODY, ROOT, answer, request

SOURCES = os.environ.get("TRACE_SOURCES", f"{ROOT}/Sources/")


def profiles(folder):
    """The dumps so far, oldest first."""
    return sorted(glob.glob(f"{folder}/profile.*"), key=lambda name: int(name.rsplit(".", 1)[1]))


def record(folder):
    """Runs a relay and presses; returns the path of each press's profile."""
    data, out = f"{folder}/data", f"{folder}/profile"
    token = subprocess.run([BINARY, "device", "add", "esp32", "--data", data],
                           capture_output=True, text=True, check=True).stdout.strip()
    relay = subprocess.Popen(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no",
         "--compress-pos=no", "--dump-before=send", BINARY, "serve", "--data", data, "--listen",
         "127.0.0.1:0", "--rate-limit", "off", "--beeminder-url", "http://127.0.0.1:9"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "BEEMINDER_AUTH_TOKEN": "simulated-token"})
    try:
        port = int(re.search(r":(\d+)\s*$", relay.stdout.readline().strip()).group(1))
        press = request("POST /log", port, token, BODY)
        # A relay that has been at work: what runs once in a process is not of a press.
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(press)
                answer(client)
        first = []
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port)) as client:
                subprocess.run(["callgrind_control", "-z", str(relay.pid)], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                first.append(len(profiles(folder)))
                client.sendall(press)
                answer(client)
        return [profiles(folder)[index] for index in first]
    finally:
        relay.terminate()
        relay.wait(60)


def read(profile):
    """{file: the numbers of its lines that have run}, of this program."""
    lines = collections.defaultdict(set)
    file, is_call = "", False
    for text in open(profile):
        key, _, value = text.rstrip("\n").partition("=")
        if key in ("fl", "fi", "fe"):
            file = value
        elif key == "calls":
            is_call = True
        elif text[:1].isdigit():
            if not is_call and file.startswith(SOURCES) and not text.startswith("0 "):
                lines[file].add(int(text.split()[0]))
            is_call = False
    return lines


# Words that open a block that is no function of its own.
STATEMENT = re.compile(
    r"(?:\} )?(?:if|else|guard|for|while|repeat|switch|case|default|do|catch|defer|#if|#else"
    r"|(?:\w+(?:\(\w+\))? )*(?:struct|class|enum|actor|extension|protocol)) ?\b")
NAME = re.compile(r"\b(?:func|var|let) (\w+)|\b(init|subscript|deinit|get|set|didSet)\b")


def function(lines, number):
    """The number and the name of the line that opens the function around a line."""
    indent = None
    for index in range(number - 1, -1, -1):
        line = lines[index]
        text = line.strip()
        depth = len(line) - len(line.lstrip())
        if not text or (indent is not None and depth >= indent):
            continue
        opens = text.endswith("{") or re.search(r"\{ ?\S.* in$", text)
        if not STATEMENT.match(text) and (
                opens if indent is not None else "{" in text and NAME.search(text)):
            head = index
            while head > 0 and text.startswith((")", "throws", "->", "where", "async")):
                head -= 1
                if len(lines[head]) - len(lines[head].lstrip()) == depth:
                    text = lines[head].strip()
            found = NAME.search(text)
            return head + 1, (found[1] or found[2]) if found else "closure"
        if indent is None or depth < indent:
            indent = depth
    return 0, "file"


def functions(lines):
    """(file, line, name) of each function that has run."""
    found = set()
    for file, numbers in lines.items():
        with open(file) as source:
            text = source.read().splitlines()
        found |= {(file, *function(text, number)) for number in numbers}
    return {row for row in found if row[1]}  # Code of the compiler has no line of its own.


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--list", action="store_true")
    options.add_argument("--keep")
    chosen = options.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("missing: valgrind (Debian: valgrind)")
    with tempfile.TemporaryDirectory() as folder:
        lines, profile = min(
            ((read(profile), profile) for profile in record(folder)),
            key=lambda press: sum(map(len, press[0].values())))
        if chosen.keep:
            shutil.copy(profile, chosen.keep)
    if not lines:
        sys.exit("no line of the program has run: was it built with debug information?")
    found = functions(lines)
    print(f"one press until its 200: {len(found)} functions, {len(lines)} files, "
          f"{sum(map(len, lines.values()))} source lines")
    if chosen.list:
        for file, number, name in sorted(found):
            print(f"  {file[len(SOURCES):]}:{number} {name}")


if __name__ == "__main__":
    main()
