"""Health tells the truth: each of its figures is moved by the fault that it is about."""

import os
import time

from rig import machine
from rig.beeminder import Mood
from rig.case import case, expect


def _health(relay):
    status, words = relay.health()
    expect(status == (503 if words["status"] == "failing" else 200), f"{status} with {words}")
    return words


def _holds(words, **wanted):
    found = {**words, **words["journal"]}
    wrong = {name: found.get(name) for name, value in wanted.items() if found.get(name) != value}
    expect(not wrong, f"health says {wrong} and not {wanted}: {words}")


@case("Beeminder is away and comes back: queued, oldestPendingSeconds, lastDeliveryFailed")
def health_of_delivery(stage):
    relay = stage.start(delivers=True)
    stage.press(relay, 1)
    relay.await_health(lambda words: words["queued"] == 0)
    words = _health(relay)
    _holds(words, status="ok", sync="online", queued=0, refused=0, lastDeliveryFailed=False,
           store="writable", alarms=[])
    expect("oldestPendingSeconds" not in words, f"nothing waits: {words}")
    stage.beeminder.for_all = Mood(502, b"<html>Bad gateway</html>")
    stage.press(relay, 2)
    relay.await_health(lambda words: words.get("oldestPendingSeconds", 0) >= 1, 5)
    words = _health(relay)
    _holds(words, status="degraded", queued=2, lastDeliveryFailed=True)
    expect(1 <= words["oldestPendingSeconds"] <= 3, f"the oldest waits 1 s: {words}")
    stage.beeminder.for_all = None
    relay.await_health(lambda words: words["queued"] == 0, flush=True)
    _holds(_health(relay), status="ok", sync="online", queued=0, lastDeliveryFailed=False)


@case("Beeminder refuses a press: refused, also after a restart")
def health_of_refusals(stage):
    stage.refused_is_fine = True
    relay = stage.start(delivers=True)
    stage.beeminder.moods["water"].append(Mood(422, b'{"errors":"value is odd"}'))
    stage.press(relay, 1, goal="water")
    relay.await_health(lambda words: words["refused"] == 1, 5)
    _holds(_health(relay), refused=1, queued=0)
    relay.kill()
    _holds(_health(stage.start(delivers=True)), refused=1)


@case("a torn tail, a damaged and a missing record: each figure, to the byte")
def health_of_the_journal(stage):
    stage.press(stage.start(), 6)
    stage.stop_relays()
    with open(stage.segments()[-1], "ab") as file:
        file.write(b'{"t":"put","q":99,"src":"')
    relay = stage.start()
    _holds(_health(relay), tornTailBytes=25, damagedBytes=0, quarantinedBytes=25,
           missingRecords=0)
    stage.press(relay, 4)
    relay.kill()
    damaged, gone = stage.book.newest(4)[1:3]
    length = _spoil(stage, damaged, gone)
    words = _health(stage.start())
    _holds(words, status="degraded", tornTailBytes=0, damagedBytes=length,
           quarantinedBytes=25 + length, missingRecords=2)
    expect(len(words["alarms"]) >= 2, f"no word of it: {words}")
    stage.stop_relays()
    _holds(_health(stage.start()), tornTailBytes=0, damagedBytes=0, missingRecords=0,
           quarantinedBytes=25 + length)


def _spoil(stage, damaged, gone):
    """A record that is damaged and, behind it, one that is gone; how long the first is."""
    path = stage.segments()[-1]
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    length = 0
    with open(path, "wb") as file:
        for line in lines:
            if f'"id":"{damaged.id}"'.encode() in line:
                line = line.replace(b'"goal"', b'"gaol"')
                length = len(line)
            if f'"id":"{gone.id}"'.encode() not in line:
                file.write(line)
    # What the disk destroyed cannot be delivered: it must be told of, and that is all.
    for press in (damaged, gone):
        del stage.book.acknowledged[press.id]
    return length


@case("no room, and room again: status, sync, store, lastSync", needs=("prlimit",))
def health_of_the_disk(stage):
    relay = stage.start(delivers=True)
    expect(abs(_health(relay)["journal"]["lastSync"] - time.time()) < 5, "a start syncs")
    machine.limit(relay.pid, "fsize", os.path.getsize(stage.segments()[-1]))
    with relay.connect() as connection:
        answer = connection.press(stage.book, stage.book.press(comment_bytes=1_000))
    expect(answer.status == 507, f"without room a press got {answer.status}")
    words = _health(relay)
    _holds(words, status="failing", sync="diskFull", store="obstructed")
    expect(any("disk" in alarm for alarm in words["alarms"]), f"no word of it: {words}")
    machine.limit(relay.pid, "fsize", "unlimited")
    time.sleep(1)  # The clock counts whole seconds, and it must be seen to move.
    before = time.time()
    stage.press(relay, 1)
    relay.await_health(lambda words: words["queued"] == 0)
    words = _health(relay)
    _holds(words, status="ok", store="writable")
    expect(words["journal"]["lastSync"] >= int(before), f"it has just synced: {words}")
