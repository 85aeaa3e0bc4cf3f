"""Lines that are written into room ahead of them: a busy relay does so from its 2,000th record on."""

from cases.disks import IO_ERROR, STRACE, ends_with, press_statuses, told_the_truth
from rig import journal
from rig.case import case, expect

ENOUGH = 2_000


def busy(stage):
    """A relay that has made room, and writes into it from now on."""
    relay = stage.start()
    stage.press(relay, ENOUGH + 1)
    return relay


@case("room: a write into it finds none on the disk: 507, and the next press is taken", needs=STRACE)
def room_finds_no_room_once(stage):
    relay = busy(stage)
    with stage.attach(relay, "pwrite64:error=ENOSPC:when=1", paths=stage.segments()):
        statuses = press_statuses(stage, relay, 1)
        expect(statuses == [507], f"the press was told {statuses}")
    stage.press(relay, 3)


@case("room: a write into it that says 'written' and was not", needs=STRACE)
def room_write_lies(stage):
    relay = busy(stage)
    with stage.attach(relay, "pwrite64:retval=10:when=1", paths=stage.segments()):
        statuses = press_statuses(stage, relay, 3)
        ends_with(relay, IO_ERROR, "a lying write")
    told_the_truth(statuses)


@case("room: a write into it fails: 503, then 74", needs=STRACE)
def room_write_fails(stage):
    relay = busy(stage)
    with stage.attach(relay, "pwrite64:error=EIO:when=1", paths=stage.segments()):
        statuses = press_statuses(stage, relay, 3)
        ends_with(relay, IO_ERROR, "pwrite EIO")
    told_the_truth(statuses)


@case("room: killed while lines are written into it, 5 times")
def room_and_kill(stage):
    for _ in range(5):
        relay = busy(stage)
        with stage.load(relay, clients=8, pause=0) as load:
            load.wait(0.3)
            relay.kill()
        with open(stage.segments()[-1], "rb") as file:
            expect(file.read().endswith(b"\n\n"), "there was no room")
        expect(journal.read(stage.data).bad_bytes == 0, "the newest line is no line")


@case("room: a clean end, and the journal holds nothing but lines")
def room_at_end(stage):
    relay = busy(stage)
    stage.press(relay, 50)
    expect(_has_room(stage), "there was no room")
    relay.end()
    expect(not _has_room(stage), "blank lines stay")


def _has_room(stage):
    with open(stage.segments()[-1], "rb") as file:
        return b"\n\n" in file.read()
