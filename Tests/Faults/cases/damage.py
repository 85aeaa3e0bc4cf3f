"""Journals that are huge, or full of rubbish: a start stays bounded in time and memory."""

import json
import os
import resource
import time

from rig import journal
from rig.case import case, expect
from rig.checker import nothing_vanished
from rig.journal import line, numbers_of
from rig.relay import RESIDENT_KILOBYTES, NotReady


def _start_within(stage, seconds):
    relay = stage.spawn().wait_ready(60)
    resident = relay.resident_kilobytes(peak=True)
    stage.note(f"ready in {relay.ready_seconds:.2f} s, {resident // 1_024} MB resident at most")
    expect(relay.ready_seconds <= seconds, f"start took {relay.ready_seconds:.1f} s")
    expect(resident < RESIDENT_KILOBYTES, f"{resident} kB resident")
    return relay


@case("64 MiB of presses that wait: start within 2 s, under 100 MB")
def big_journal(stage):
    stage.is_checked = False  # To deliver so many takes minutes and shows nothing more.
    stage.press(stage.start(), 1)
    stage.stop_relays()
    path, number = numbers_of(stage.segments()[-1])
    with open(path, "rb") as file:
        record = json.loads(
            [line for line in file if b'"t":"put"' in line][0].split(b"\t")[0])
    with open(path, "ab") as file:
        for count in range((64 << 20) // 4_300):
            record.update(q=number + count, id=f"big{count}", comment="x" * 4_000)
            file.write(line(record))
    relay = _start_within(stage, 2)
    expect(relay.health()[1]["queued"] == count + 2, f"it knows {relay.health()}")


@case("one line of 256 MiB (FULL: 1 GiB) without an end: quarantined, under 100 MB")
def giantline(stage):
    stage.press(stage.start(), 5)
    stage.stop_relays()
    bytes_added = stage.count(256 << 20, 1 << 30)
    with open(stage.segments()[-1], "ab") as file:
        for _ in range(bytes_added >> 20):
            file.write(b"x" * (1 << 20))
    stage.press_again(_start_within(stage, 20), stage.book.newest(5))
    stage.stop_relays()
    kept = journal.read(stage.data).quarantined
    expect(kept == bytes_added, f"I5: {kept} of {bytes_added} bytes are in quarantine")


@case("a million lines of rubbish between two presses: none of the presses is lost")
def million_bad_lines(stage):
    stage.press(stage.start(), 2)
    stage.stop_relays()
    path = stage.segments()[-1]
    with open(path, "rb") as file:
        head, _, last = file.read().rstrip(b"\n").rpartition(b"\n")
    with open(path, "wb") as file:
        file.write(head + b"\n" + b"rubbish\n" * 1_000_000 + last + b"\n")
    stage.press_again(_start_within(stage, 5), stage.book.newest(2))
    stage.stop_relays()
    kept = journal.read(stage.data).quarantined
    expect(kept == 8_000_000, f"I5: {kept} of 8000000 bytes are in quarantine")


@case("tails of zeros, of 0xFF, of half a record, of NULs and bad UTF-8")
def bad_tails(stage):
    for tail in (b"\0" * 4_096, b"\xff" * 4_096, b'{"t":"put","q":7', b"\0\xc3\x28\n\xff\n",
                 b"[" * 50_000 + b"\n", b"\t" * 5_000):
        stage.press(stage.start(), 2)
        stage.stop_relays()
        with open(stage.segments()[-1], "ab") as file:
            file.write(tail)
        before = journal.read(stage.data)
        stage.press_again(stage.start(), stage.book.newest(4))
        stage.stop_relays()
        # Zeros may be room taken ahead, so whether they are kept is the program's affair.
        if tail.strip(b"\0"):
            nothing_vanished(before, journal.read(stage.data))


@case("a journal of a later version: 78, nothing touched")
def later_version(stage):
    stage.press(stage.start(), 2)
    stage.stop_relays()
    path = stage.segments()[-1]
    with open(path, "rb") as file:
        was = file.read()
    first, _, rest = was.partition(b"\n")
    opening = json.loads(first.split(b"\t")[0])
    opening["v"] = 99
    with open(path, "wb") as file:
        file.write(line(opening) + rest)
    _refuses_untouched(stage)
    with open(path, "wb") as file:
        file.write(was)


def _refuses_untouched(stage):
    left = f"{stage.data}/journal/00000077.tmp"
    with open(left, "wb") as file:
        file.write(b"what a later version was writing")
    names = sorted(os.listdir(f"{stage.data}/journal"))
    try:
        stage.spawn().wait_ready(5)
        raise AssertionError("it started")
    except NotReady as end:
        expect(end.code == 78, f"it {end}")
    expect(sorted(os.listdir(f"{stage.data}/journal")) == names, "files were touched")
    os.unlink(left)


@case("memory runs out under load: as a kill")
def out_of_memory(stage):
    relay = stage.start()
    stage.press(relay, 5)
    with open(f"/proc/{relay.pid}/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.prlimit(relay.pid, resource.RLIMIT_AS, (size + (4 << 20),) * 2)
    with stage.load(relay, clients=20, comment_bytes=4_000, pause=0) as load:
        ended = load.wait(3)
    stage.note("ended" if ended else "went on")
    time.sleep(0.1)


@case("a press is damaged: the others are kept, and health tells of it")
def health_tells_of_damage(stage):
    stage.press(stage.start(), 5)
    stage.stop_relays()
    path = stage.segments()[-1]
    victim = stage.book.newest(3)[0]
    with open(path, "r+b") as file:
        place = file.read().index(f'"id":"{victim.id}"'.encode())
        file.seek(place + 6)
        file.write(b"?")
    # What the disk destroyed cannot be delivered: it must be told of, and that is all.
    del stage.book.acknowledged[victim.id]
    relay = stage.start()
    stage.press_again(relay, stage.book.newest(4))
    _, words = relay.health()
    told = [alarm for alarm in words["alarms"] if "damage" in alarm]
    expect(told, f"I6: health says nothing of the damage: {words}")
