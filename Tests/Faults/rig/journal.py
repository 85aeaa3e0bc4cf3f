"""Reads a journal with none of the program's own code, so that both cannot be wrong alike."""

import json
import os
from dataclasses import dataclass, field

# What says nothing about an event, and so is not kept; of attempts only the last record counts.
STRUCTURE = {"open", "base-end", "seal", "close", "mark", "tried"}


def _table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


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


def _segment(bytes_read):
    """(good records with their bytes, count of bad bytes, of zeros at the end, whether the
    snapshot is complete)."""
    records, bad, complete = [], 0, False
    pieces = bytes_read.split(b"\n")
    for line in pieces[:-1]:
        if not line:
            continue  # Room that is written ahead of lines.
        record = good(line)
        if record is None:
            bad += len(line) + 1
            continue
        complete = complete or record["t"] == "base-end"
        records.append((line, record))
    tail = len(pieces[-1].rstrip(b"\0"))
    return records, bad + tail, len(pieces[-1]) - tail, complete


def read(data):
    """What a data folder holds: from the newest complete snapshot on, as custody demands."""
    reading = Reading()
    folder = os.path.join(data, "journal")
    if not os.path.isdir(folder):
        return reading
    names = sorted(name for name in os.listdir(folder) if name.endswith(".jnl"))
    reading.segments = names
    found = []
    for name in reversed(names):
        with open(os.path.join(folder, name), "rb") as file:
            found.insert(0, _segment(file.read()))
        if found[0][3]:
            break
    for records, bad, zeros, _ in found:
        reading.bad_bytes += bad
        reading.zero_bytes += zeros
        for line, record in records:
            _enter(reading, line, record)
    reading.quarantined = _quarantined(data)
    reading.history = _history(data)
    return reading


def _history(data):
    """The records in files whose segment has come; the others are of a rewrite that did not."""
    folder = os.path.join(data, "history")
    newest = max((int(name[:8]) for name in os.listdir(f"{data}/journal")
                  if name.endswith(".jnl")), default=0)
    found = set()
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.endswith(".jnl") and int(name.split("-")[0]) <= newest:
            with open(os.path.join(folder, name), "rb") as file:
                records, bad, zeros, complete = _segment(file.read())
            assert complete and not bad and not zeros, f"{name} is damaged"
            found |= {line for line, record in records if record["t"] not in STRUCTURE}
    return found


def _enter(reading, line, record):
    if record["t"] in STRUCTURE:
        return
    if line in reading.lines:
        return
    reading.lines.add(line)
    if record["t"] == "put":
        if record["id"] in reading.puts:
            reading.repeated.append(record["id"])
        reading.puts[record["id"]] = record


def _quarantined(data):
    folder = os.path.join(data, "quarantine")
    if not os.path.isdir(folder):
        return 0
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
