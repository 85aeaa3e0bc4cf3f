"""The oldest segment is retired once what is known of it was stated again: killed on the way."""

import os
import time

from rig import journal
from rig.case import case, expect
from rig.checker import recovered_in_journal
from rig.journal import line, numbers_of

# More than a journal keeps without a reason, in one segment: the next two full ones retire it, the
# third one takes away its first name.
DEAD_BYTES = 24 << 20
# Every call of the first retirement, and those of the segments that are begun meanwhile.
FIRST = [("fdatasync", 40, ""), ("renameat,renameat2", 1, "/journal"),
         ("renameat,renameat2", 2, "/journal"), ("linkat", 1, "/history"), ("fsync", 1, "/history")]
# What the second one does about the first.
SECOND = [("unlinkat", 1, "/journal"), ("fsync", 3, "/journal")]


@case("the oldest segment is retired under load: killed at each call of that",
      needs=("strace", "root"))
def kill_while_retiring(stage):
    for call, when, folder in FIRST + SECOND:
        stage.begin_anew(f"retire-{call[:6]}{when}{folder[1:]}")
        _grow_old(stage)
        if (call, when, folder) in SECOND:
            relay = stage.start()
            _press_until(stage, relay, lambda: os.listdir(f"{stage.data}/history"))
            relay.kill()
            _grow_old(stage)
        relay = stage.start()
        with stage.attach(relay, f"{call}:signal=KILL:when={when}",
                          paths=[stage.data + folder] if folder else []):
            _press_until(stage, relay, lambda: relay.process.poll() is not None)
        _knows_all(stage)


@case("a file system without second names: what is retired is copied to the history",
      needs=("strace", "root"))
def retire_without_names(stage):
    for is_second in (False, True):
        _grow_old(stage)
        relay = stage.start()
        count = len(stage.segments())
        with stage.attach(relay, "linkat:error=EPERM"):
            _press_until(stage, relay, lambda: os.listdir(f"{stage.data}/history") if is_second
                         else len(stage.segments()) > count + 1)
        _knows_all(stage)


def _press_until(stage, relay, is_over):
    with stage.load(relay, clients=8, comment_bytes=3_900, pause=0) as load:
        until = time.monotonic() + 30
        while not is_over() and time.monotonic() < until:
            load.wait(0.1) and time.sleep(0.1)
    expect(is_over(), f"it did not come: {relay.words[-200:]}")


def _grow_old(stage):
    """Presses, and behind them in the same segment what no event needs."""
    stage.press(stage.start(), 300)
    stage.stop_relays()
    path, number = numbers_of(stage.segments()[-1])
    pad = "x" * 60_000
    with open(path, "ab") as file:
        for count in range(DEAD_BYTES // len(pad)):
            file.write(line({"t": "mark", "q": number + count, "pad": pad}))


def _knows_all(stage):
    """What was acknowledged is known, by the files and by the relay."""
    stage.stop_relays()
    before = journal.read(stage.data)
    recovered_in_journal(stage.book.snapshot(), stage.book.offered, before)
    relay = stage.start()
    expect(not relay.health()[1]["alarms"], f"I6: {relay.health()}")
    stage.press_again(relay, [*stage.book.oldest(50), *stage.book.newest(50)])
    stage.stop_relays()
    after = journal.read(stage.data)
    expect(before.lines <= after.lines | after.history, "I5: lines have vanished")
