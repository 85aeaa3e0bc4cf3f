"""A wall clock that was never set, or jumps, while the monotonic one goes on as it must."""

import json
import time

from rig import journal, machine
from rig.case import Skip, case, expect

NEEDS = ("faketime",)
YEAR_2024 = 1_704_067_200


class Clock:
    """The relay's wall clock, moved from outside."""

    def __init__(self, stage):
        self._path = f"{stage.folder}/clock"
        self.set("+0")
        # The library adds to the environment, which would hide the arguments from the program:
        # `env` takes that on itself before it becomes the relay.
        self.options = {"environment": machine.faketime_environment(self._path),
                        "wrap": ["env"]}

    def set(self, text):
        with open(self._path, "w") as file:
            file.write(text + "\n")

    def must_work(self, relay):
        """Skips where the library has no hold on the program."""
        # The answer's Date field tells what the program believes.
        if "1970" not in relay.ask("GET", "/healthz").fields.get("date", ""):
            raise Skip("the library does not move this program's clock")


def _press_plain(stage, relay):
    """A press of a device without a clock."""
    press = stage.book.press()
    body = json.dumps({"goal": press.goal, "id": press.id, "value": press.value}).encode()
    with relay.connect() as connection:
        answer = connection.ask("POST", "/log", body)
    expect(answer.status == 200, f"a press got {answer.status}: {answer.body!r}")
    return press


@case("the relay's clock says 1970: presses are taken, keep their time, and wait for the truth",
      needs=NEEDS)
def clock_never_set(stage):
    clock = Clock(stage)
    clock.set("@1970-01-02 00:00:00")
    relay = stage.start(delivers=True, **clock.options)
    clock.must_work(relay)
    stage.press(relay, 3)
    pressed = time.time()
    plain = _press_plain(stage, relay)
    time.sleep(1)
    early = [p for p in stage.beeminder.points.values() if p.timestamp < YEAR_2024]
    clock.set("+0")
    relay.await_health(lambda words: words["queued"] == 0, 5, flush=True)
    expect(not early, f"{len(early)} were sent with a time before 2024, as {early[0]}"
           if early else "")
    point = stage.beeminder.point(plain.goal, plain.id)
    expect(abs(point.timestamp - pressed) < 5,
           f"a press without a time has {point.timestamp}, which is not when it was pressed")
    stage.book.offered.pop(plain.id)
    stage.beeminder.forget(plain.goal, point.requestid)
    relay.kill()
    stage.is_checked = False  # The rest is compared here, since one press has no time to tell.


def _comes_late(stage, error):
    """A clock that is wrong by so much from the start, while Beeminder is away and then comes."""
    clock = Clock(stage)
    clock.set("@1970-01-02 00:00:00")
    stage.beeminder.stop()
    relay = stage.start(delivers=True, **clock.options)
    clock.must_work(relay)
    clock.set(error)
    stage.press(relay, 3)  # With the devices' own timestamps, which are right.
    pressed = time.time()
    plain = _press_plain(stage, relay)
    stage.beeminder.start()
    relay.await_health(lambda words: words["queued"] == 0, 20, flush=True)
    point = stage.beeminder.point(plain.goal, plain.id)
    expect(point is not None, "it is not delivered")
    expect(abs(point.timestamp - pressed) < 5,
           f"it has {point.timestamp}, and was pressed at {pressed:.0f}")
    later = _press_plain(stage, relay)
    relay.await_health(lambda words: words["queued"] == 0, 20, flush=True)
    point = stage.beeminder.point(later.goal, later.id)
    expect(abs(point.timestamp - time.time()) < 5, f"a later one has {point.timestamp}")
    _, words = relay.health()
    expect(words["clock"]["state"] == "wrong" and words["status"] == "degraded",
           f"I6: the clock is wrong by {error}, and health says {words}")
    for press in (plain, later):
        stage.beeminder.forget(press.goal, stage.beeminder.point(press.goal, press.id).requestid)
    for press in stage.book.acknowledged.values():
        if press.id not in (plain.id, later.id):
            point = stage.beeminder.point(press.goal, press.id)
            expect(point is not None and point.timestamp == press.at,
                   f"{press} arrived as {point}")
    relay.kill()
    stage.is_checked = False  # The rest is compared here, since some presses have no time to tell.


@case("the clock is seven hours behind from the start: nothing is sent with its time", needs=NEEDS)
def clock_hours_behind(stage):
    _comes_late(stage, "-7h")


@case("the clock is a day ahead from the start: nothing is sent with its time", needs=NEEDS)
def clock_a_day_ahead(stage):
    _comes_late(stage, "+1d")


def _jumps(stage, jump):
    clock = Clock(stage)
    relay = stage.start(delivers=True, **clock.options)
    stage.press(relay, 5)
    clock.set("@1970-01-02 00:00:00")
    clock.must_work(relay)
    clock.set(jump)
    stage.press_again(relay, stage.book.newest(5))
    relay.await_health(lambda words: words["queued"] == 0, 10)
    with relay.connect() as connection:
        for _ in range(5):
            answer = connection.press(stage.book, stage.book.press())
            expect(answer.status == 200, f"after the jump a press got {answer.status}")
    _, words = relay.await_health(lambda words: words["queued"] == 0, 10)
    expect(words["queued"] == 0, f"nothing is delivered after {jump}: {words}")
    _done_is_written(stage, relay)
    clock.set("+0")
    stage.press(relay, 3)
    relay.await_health(lambda words: words["queued"] == 0, 10)
    expect(relay.end() == 0, "the end was not clean")


def _done_is_written(stage, relay):
    """What was delivered is written down within a second, whatever the wall clock does."""
    time.sleep(2)
    reading = journal.read(stage.data)
    done = sum(b'"t":"done"' in line for line in reading.lines)
    expect(done == len(reading.puts), f"{done} `done` for {len(reading.puts)} delivered")


@case("the clock jumps ten years ahead while running, and back", needs=NEEDS)
def clock_ten_years_ahead(stage):
    _jumps(stage, "+10y")


@case("the clock jumps an hour back while running, and forth", needs=NEEDS)
def clock_an_hour_back(stage):
    _jumps(stage, "-1h")
