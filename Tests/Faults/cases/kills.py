"""kill -9: at random, at each system call that matters, twice in a row."""

import os

from rig import journal, machine
from rig.case import case, expect
from rig.checker import recovered_in_journal
from rig.relay import NotReady

# Whatever changes the disk, or tells that it did.
DISK_CALLS = ["write", "pwrite64", "writev", "fdatasync", "fsync", "rename", "renameat",
              "renameat2", "unlink", "unlinkat", "ftruncate", "mkdir", "mkdirat", "fallocate"]
SEGMENT_BYTES = 4 << 20


@case("kill -9 at random, presses in flight")
def kill_at_random(stage):
    rounds = stage.count(200, 1_000)
    for _ in range(rounds):
        relay = stage.start(delivers=stage.random.random() < 0.5)
        stage.press_again(relay, stage.book.newest(3))
        with stage.load(relay) as load:
            load.wait(stage.random.uniform(0.005, 0.06))
            relay.kill()
        stage.relays.clear()
    stage.note(f"{rounds} kills, {len(stage.book.acknowledged)} acknowledged of "
               f"{len(stage.book.offered)}")


@case("kill at each call of accept, twice in a row", needs=["strace", "root"])
def kill_in_accept(stage):
    kills = 0
    for call in ["pwrite64", "writev", "fstat,newfstatat,statx", "fdatasync", "sendto,sendmsg"]:
        for when in range(1, stage.count(3, 6)):
            kills += _killed_twice(stage, f"{call}:signal=KILL:when={when}")
    expect(kills >= 8, f"only {kills} of the calls ever happened")
    stage.note(f"{kills} kills")


def _killed_twice(stage, injection):
    """Kills two relays, one after the other, at the same call; says how many died."""
    kills = 0
    for _ in range(2):
        relay = stage.start()
        stage.press_again(relay, stage.book.newest(3))
        with stage.attach(relay, injection), stage.load(relay, clients=3) as load:
            kills += load.wait(0.7)
        relay.kill()
    return kills


@case("kill at each call of a start that recovers, twice in a row", needs=["strace", "root"])
def kill_in_start(stage):
    relay = stage.start()
    stage.press(relay, 20)
    relay.kill()
    _tear(stage, b'{"t":"put","q":99')
    kills = _kill_at_each_call(stage, again=True)
    expect(kills >= 20, f"only {kills} kills")
    stage.note(f"{kills} kills")


@case("kill at each call of the very first start", needs=["strace", "root"])
def kill_in_first_start(stage):
    stage.token  # The folder with a device, which is all there is.
    kills = 0
    for number, (call, when) in enumerate(_calls_of_a_start(stage)):
        stage.begin_anew(f"first-{number}")
        stage.token
        kills += _killed_at_start(stage, call, when)
        relay = stage.start()
        stage.press(relay)
        relay.kill()
        stage.press_again(stage.start(), stage.book.newest(1))
        stage.stop_relays()
    stage.note(f"{kills} kills")


def _tear(stage, bytes_left):
    """Half a record at the end, as a power cut leaves it."""
    with open(stage.segments()[-1], "ab") as file:
        file.write(bytes_left)


def _calls_of_a_start(stage):
    """Every (call, how many times before and with this one) that a start makes on its way."""
    log = stage.log()
    relay = stage.spawn(wrap=machine.strace(log, only=DISK_CALLS)).wait_ready()
    main = relay.pid
    relay.kill()
    seen, calls = {}, []
    for line in machine.lines(log):
        process, _, rest = line.partition(" ")
        call = rest.strip().split("(")[0]
        if call in DISK_CALLS and process == str(main):
            seen[call] = seen.get(call, 0) + 1
            calls.append((call, seen[call]))
    return calls


def _killed_at_start(stage, call, when):
    """Whether a start died at that call. It may have come up: some calls follow the last line."""
    wrap = machine.strace(stage.log(), f"{call}:signal=KILL:when={when}")
    relay = stage.spawn(wrap=wrap)
    try:
        relay.wait_ready()
    except NotReady as end:
        expect(end.code in (-9, 137), f"killed at {call} {when}, it {end}")
        return 1
    relay.kill()
    return 0


def _kill_at_each_call(stage, again):
    kills = 0
    for call, when in _calls_of_a_start(stage):
        for _ in range(2 if again else 1):
            kills += _killed_at_start(stage, call, when)
        relay = stage.start()
        stage.press_again(relay, stage.book.newest(20))
        stage.press(relay)
        relay.kill()
    return kills


@case("kill at each call of a rotation", needs=["strace", "root", "gcc"])
def kill_in_rotate(stage):
    points = [("renameat,renameat2,rename", []), ("fsync", []), ("pread64", ["new"]),
              ("openat", []), ("close", []), ("pwrite64", ["new"]), ("fdatasync", ["new"])]
    for call, where in points:
        _dies_in_rotation(stage, call, lambda relay: stage.attach(
            relay, f"{call}:signal=KILL:when=1", paths=[_next(stage)] if where else []))
    stage.note(f"{len(points)} kills")


def _dies_in_rotation(stage, name, spoil, **options):
    """A relay whose segment is full up to a few presses, and what kills it then."""
    stage.begin_anew(f"rotate-{name}")
    relay = stage.start(**options)
    fill_almost(stage, relay)
    with spoil(relay), stage.load(relay, clients=1, comment_bytes=3_900, pause=0) as load:
        died = load.wait(10)
    expect(died, f"no kill at {name}")
    relay.kill()
    stage.press_again(stage.start(), stage.book.newest(10))
    stage.stop_relays()
    recovered_in_journal(stage.book.snapshot(), stage.book.offered, journal.read(stage.data))


def _next(stage):
    """The name under which the next segment is written."""
    number = int(os.path.basename(stage.segments()[-1])[:8]) + 1
    return f"{stage.data}/journal/{number:08}.tmp"


def fill_almost(stage, relay, spare=8):
    """Presses until so many more make the segment rotate."""
    path = stage.segments()[-1]
    base = os.path.getsize(path)
    stage.press(relay, comment_bytes=3_900)
    line = os.path.getsize(path) - base
    left = (base + SEGMENT_BYTES - os.path.getsize(path)) // line
    stage.press(relay, left - spare, comment_bytes=3_900)
    expect(stage.segments()[-1] == path, "it has rotated too soon")
