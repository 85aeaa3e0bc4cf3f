"""The invariants, held after every case. Nothing in here knows what the case has done."""

import time

from rig import journal
from rig.case import expect


def check(stage):
    """Starts the relay once more on what is left, lets it deliver, and compares the books."""
    stage.stop_relays()
    if not stage.is_checked:
        return
    before = journal.read(stage.data)
    stage.beeminder.moods.clear()
    stage.beeminder.always.clear()
    stage.beeminder.for_all = None
    relay = stage.start(delivers=True)  # I7 is checked in there.
    recovered_in_journal(stage.book.snapshot(), stage.book.offered, before)
    drain(stage, relay)
    expect(relay.end() == 0, f"the end was not clean: {relay.words[-300:]}")
    nothing_vanished(before, journal.read(stage.data))
    delivered_once(stage)


def recovered_in_journal(acknowledged, offered, reading):
    """I1, I2 and I3, in the files themselves."""
    lost = sorted(set(acknowledged) - set(reading.puts))
    expect(not lost, f"I1: {len(lost)} acknowledged presses are not in the journal: {lost[:5]}")
    foreign = sorted(set(reading.puts) - set(offered))
    expect(not foreign, f"I2: never offered: {foreign[:5]}")
    expect(not reading.repeated, f"I3: twice in the journal: {reading.repeated[:5]}")
    for identifier, record in reading.puts.items():
        press = offered[identifier]
        same = (record["goal"], record["value"], record["at"]) == (
            press.goal, press.value, press.at)
        expect(same, f"I2: {identifier} was offered as {press} and is kept as {record}")


def drain(stage, relay, seconds=60):
    _, words = relay.await_health(lambda words: words["queued"] == 0, seconds, flush=True)
    expect(words["queued"] == 0, f"I4: {words['queued']} are not delivered after {seconds} s")
    if not stage.refused_is_fine:
        expect(words["refused"] == 0, f"I4: {words['refused']} were refused")
    # What nothing was tried with yet is not said to work: the goals are asked for at the start.
    # What Beeminder has refused stays an alarm until somebody has looked at it.
    wanted = "degraded" if words["refused"] else "ok"
    _, words = relay.await_health(lambda words: words["status"] == wanted, 5)
    expect(words["status"] == wanted, f"I6: all is well and health says {words}")
    others = [alarm for alarm in words["alarms"] if "refused" not in alarm]
    expect(not others, f"I6: all is well and health says {words}")
    time.sleep(0.05)


def nothing_vanished(before, after):
    """I5: what was good is in the journal or its history, what was not is in quarantine, byte for
    byte."""
    gone = before.lines - after.lines - after.history
    expect(not gone, f"I5: {len(gone)} good records vanished, such as {sorted(gone)[0][:120]!r}"
           if gone else "")
    grown = after.quarantined - before.quarantined
    # Whether zeros at the end were ever more than room is the program's to say.
    expect(before.bad_bytes <= grown <= before.bad_bytes + before.zero_bytes,
           f"I5: {before.bad_bytes} bad bytes before, {grown} more in quarantine")
    expect(after.bad_bytes == 0, f"I5: {after.bad_bytes} bad bytes in the fresh journal")


def delivered_once(stage):
    """I4: each acknowledged press is one datapoint with its own value, time and comment."""
    book, beeminder = stage.book, stage.beeminder
    arrived = {}
    for point in beeminder.points.values():
        identifier = point.requestid.split(".", 1)[1]
        expect(identifier in book.offered, f"I2: {identifier} was never offered")
        expect(identifier not in arrived, f"I3: {identifier} is two datapoints")
        arrived[identifier] = point
    for identifier, press in book.acknowledged.items():
        point = arrived.get(identifier)
        if stage.refused_is_fine and point is None:
            continue
        expect(point is not None, f"I4: {identifier} was acknowledged and never arrived")
        own = (press.goal, press.value, press.at, press.comment)
        theirs = (point.goal, point.value, point.timestamp, point.comment)
        expect(own == theirs, f"I4: {identifier} was {own} and arrived as {theirs}")
    expect(not beeminder.updated, f"I4: overwritten: {beeminder.updated[:2]}")
    late = sorted(set(arrived) & book.declined)
    expect(not late, f"507 said 'nothing was taken', yet these arrived: {late[:5]}")
    again = [name for name, count in beeminder.created.items() if count != 1]
    expect(not again, f"I3: created more than once: {again[:5]}")
