"""What the journal forgets goes to the history first: killed on the way, on a disk without room."""

import re
import subprocess

from rig import journal, machine
from rig.case import case, expect
from rig.journal import line, numbers_of
from rig.relay import BINARY, NotReady

REMEMBERED = 100_000
SURPLUS = 500
# Every call that makes the file, gives it its name and makes that durable. The folder's own calls
# are counted from its listing on.
POINTS = [("write", 1), ("fdatasync", 1), ("openat", 2), ("renameat,renameat2", 1),
          ("openat", 3), ("fsync", 1)]


@case("the oldest of 100,500 delivered presses go to the history: killed at each call of that",
      needs=("strace", "root"))
def kill_while_forgetting(stage):
    stage.is_checked = False  # These presses were never offered: they are counted here.
    before = _deliver(stage, REMEMBERED + SURPLUS)
    kills = 0
    for call, when in POINTS:
        for _ in range(2):
            kills += _start(stage, f"{call}:signal=KILL:when={when}")
            expect(_known(stage) == REMEMBERED + SURPLUS, f"after a kill at {call} {when}")
    expect(kills == 2 * len(POINTS), f"only {kills} kills")
    expect(_start(stage, "write:error=ENOSPC:when=1") == 0, "it ended for want of room")
    relay = stage.start()
    relay.kill()
    after = journal.read(stage.data)
    expect(before <= after.lines | after.history, "I5: lines have vanished")
    expect(not after.lines & after.history, "I3: lines are in both places")
    expect(len(after.history) == 2 * SURPLUS, f"{len(after.history)} lines are in the history")
    stage.note(f"{kills} kills, ready with it in {relay.ready_seconds:.2f} s")


def _deliver(stage, count):
    """Writes so many delivered presses into a fresh journal; returns their lines."""
    stage.press(stage.start(), 1)
    stage.stop_relays()
    path, number = numbers_of(stage.segments()[-1])
    made = []
    for index in range(count):
        made.append(line(
            {"t": "put", "q": number, "src": "old", "id": f"o{index}", "goal": "water",
             "value": 1, "at": 1_700_000_000, "from": "receipt",
             "rx": {"wall": 1_700_000_000, "mono": 1, "boot": "b"}}))
        made.append(line({"t": "done", "q": number + 1, "of": number, "how": "created"}))
        number += 2
    with open(path, "ab") as file:
        file.write(b"".join(made))
    return {one.rstrip(b"\n") for one in made}


def _start(stage, fault):
    """A start with that fault in its first call that touches the history; whether it died."""
    number = int(stage.segments()[-1].rsplit("/", 1)[1][:8]) + 1
    folder = f"{stage.data}/history"
    files = [f"{folder}/{number:08}-000.{end}" for end in ("tmp", "jnl")]
    paths = files if fault.startswith(("write", "fdatasync")) else [folder]
    relay = stage.spawn(wrap=machine.strace(stage.log(), fault, paths=paths))
    try:
        relay.wait_ready()
    except NotReady as end:
        expect(end.code in (-9, 137), f"with {fault} it {end}")
        return 1
    relay.kill()
    return 0


def _known(stage):
    """How many delivered events there are, in the journal and in its history, without a start."""
    done = subprocess.run([BINARY, "journal", "verify", stage.data], capture_output=True,
                          text=True, timeout=60)
    expect(done.returncode == 0, f"verify: {done.stdout}")
    counts = re.findall(r"(\d+) delivered|(\d+) older events", done.stdout)
    return sum(int(one or other) for one, other in counts)
