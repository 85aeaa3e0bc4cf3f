"""Reads a journal with none of the program's own code, so that both cannot be wrong alike."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

# What says nothing about an event, and so is not kept; of attempts only the last record counts.
# A carried event was told before.
STRUCTURE = {"open", "close", "mark", "tried", "carried"}


def _table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _table()


def _in_python(data, _):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


SOURCE = r"""
unsigned crc32c(const unsigned char *bytes, unsigned long count) {
    static unsigned table[256];
    if (!table[1])
        for (unsigned value = 0; value < 256; value++) {
            table[value] = value;
            for (int bit = 0; bit < 8; bit++)
                table[value] = table[value] >> 1 ^ (table[value] & 1 ? 0x82F63B78 : 0);
        }
    unsigned crc = ~0u;
    while (count--) crc = crc >> 8 ^ table[(crc ^ *bytes++) & 255];
    return ~crc;
}
"""


def _in_c():
    """The same a hundred times as fast, where there is a compiler."""
    if not shutil.which("gcc"):
        return _in_python
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/crc32c.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-x", "c", "-", "-o", path],
                       input=SOURCE.encode(), check=True)
        function = ctypes.CDLL(path).crc32c
    function.argtypes, function.restype = [ctypes.c_char_p, ctypes.c_ulong], ctypes.c_uint
    return function


_CRC = _in_c()


def crc32c(data):
    return _CRC(data, len(data))


assert crc32c(b"123456789") == _in_python(b"123456789", 9) == 0xE3069283


def line(record):
    """A record as the journal has it."""
    text = json.dumps(record, separators=(",", ":")).encode()
    return text + b"\t%08x\n" % crc32c(text)


def numbers_of(path):
    """A segment's path and the number that follows its last record."""
    with open(path, "rb") as file:
        last = json.loads(file.read().rstrip(b"\n").split(b"\n")[-1].split(b"\t")[0])
    return path, last["q"] + (last["t"] == "put")


@dataclass
class Reading:
    lines: set = field(default_factory=set)  # Good records, each as its bytes.
    puts: dict = field(default_factory=dict)  # Event id to its record.
    repeated: list = field(default_factory=list)  # Ids with more than one put.
    bad_bytes: int = 0
    zero_bytes: int = 0  # At the very end: room taken ahead, or what a power cut made of a tail.
    segments: list = field(default_factory=list)
    quarantined: int = 0
    history: set = field(default_factory=set)  # Good records of events that are past.


def good(line):
    """The record of a line, without its LF; nothing when it is none."""
    if len(line) < 10 or line[-9:-8] != b"\t":
        return None
    try:
        if int(line[-8:], 16) != crc32c(line[:-9]):
            return None
        return json.loads(line[:-9])
    except ValueError:
        return None


def _segment(path):
    """(good records with their bytes, count of bad bytes, of zeros at the end)."""
    with open(path, "rb") as file:
        pieces = file.read().split(b"\n")
    records, bad = [], 0
    for line in pieces[:-1]:
        if not line:
            continue  # Room that is written ahead of lines.
        record = good(line)
        if record is None:
            bad += len(line) + 1
        else:
            records.append((line, record))
    tail = len(pieces[-1].rstrip(b"\0"))
    return records, bad + tail, len(pieces[-1]) - tail


def _segments(folder):
    """The segments of a folder by their numbers, the oldest first."""
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(name for name in names if re.fullmatch(r"\d{8}\.jnl", name))


def read(data):
    """What a data folder holds: the segments from the one on that the newest one names, as custody
    demands."""
    reading = Reading()
    folder = os.path.join(data, "journal")
    found = {name: _segment(os.path.join(folder, name)) for name in _segments(folder)}
    openings = [record for records, _, _ in found.values() for _, record in records[:1]
                if record["t"] == "open"]
    oldest = openings[-1]["oldest"] if openings else 0
    for name, (records, bad, zeros) in found.items():
        if int(name[:8]) < oldest:
            continue
        reading.segments.append(name)
        reading.bad_bytes += bad
        reading.zero_bytes += zeros
        for line, record in records:
            _enter(reading, line, record)
    reading.quarantined = _quarantined(data)
    reading.history = _history(data)
    return reading


def _history(data):
    found = set()
    folder = os.path.join(data, "history")
    for name in _segments(folder):
        records, bad, zeros = _segment(os.path.join(folder, name))
        assert not bad and not zeros, f"{name} is damaged"
        found |= {line for line, record in records if record["t"] not in STRUCTURE}
    return found


def _enter(reading, line, record):
    """A carried event stands for its put, whose segment may be retired."""
    if record["t"] == "carried":
        reading.puts.setdefault(record["id"], record)
    if record["t"] in STRUCTURE or line in reading.lines:
        return
    reading.lines.add(line)
    if record["t"] == "put":
        if reading.puts.get(record["id"], {}).get("t") == "put":
            reading.repeated.append(record["id"])
        reading.puts[record["id"]] = record


def _quarantined(data):
    folder = os.path.join(data, "quarantine")
    if not os.path.isdir(folder):
        return 0
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
