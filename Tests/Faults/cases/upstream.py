"""Beeminder in every mood: one case for every line of the delivery table, and crashes between."""

import email.utils
import threading
import time

from rig.beeminder import Mood
from rig.case import case, expect

HTML = b"<html><body>We are sorry, but something went wrong.</body></html>"
RETRIED = {
    "500": Mood(500, HTML), "502 HTML": Mood(502, HTML), "503 alone": Mood(503),
    "504": Mood(504), "408": Mood(408), "425": Mood(425),
    "200 HTML": Mood(200, HTML), "200 empty": Mood(200), "204": Mood(204),
    "200 with an array": Mood(200, b"[]"),
    "200 of another": Mood(200, b'{"id":"1","requestid":"bench.other","status":"created"}'),
    "200 without a request id": Mood(200, b'{"id":"1","status":"created"}'),
    "500 after keeping": Mood(500, HTML, keeps=True),
    "200 HTML after keeping": Mood(200, HTML, keeps=True),
}
REFUSED = {
    "400": Mood(400, b'{"errors":"bad"}'), "406": Mood(406, b'{"errors":"no"}'),
    "413": Mood(413, b'{"errors":"big"}'), "422": Mood(422, b'{"errors":"value is odd"}'),
}
DUPLICATE = {
    "422 duplicate": Mood(422, b'{"errors":"Duplicate request"}', keeps=True),
    "409 duplicate": Mood(409, b'{"errors":"duplicate datapoint"}', keeps=True),
}
UNCLEAR_DUPLICATE = {
    "409 unclear": Mood(409, b'{"errors":"conflict"}', keeps=True),
    "422 unclear": Mood(422, b'{"errors":"already there"}', keeps=True),
}


def _press_one(stage, relay, goal="water"):
    press = stage.book.press(goal=goal)
    with relay.connect() as connection:
        answer = connection.press(stage.book, press)
    expect(answer.status == 200, f"a press got {answer.status}")
    return press


def _await_state(relay, press, wanted, seconds=15, flush=True):
    """Until the press is in one of these states; returns what /events says of it."""
    until = time.monotonic() + seconds
    while True:
        event = relay.event(press.id)
        if event.get("state") in wanted or time.monotonic() > until:
            return event
        if flush:
            relay.ask("POST", "/flush")
        time.sleep(0.05)


def _each(stage, moods, judge):
    """Every mood in turn, on one relay; all complaints at once."""
    relay = stage.start(delivers=True)
    complaints = []
    for name, mood in moods.items():
        stage.beeminder.moods["water"].append(mood)
        press = _press_one(stage, relay)
        try:
            judge(relay, press, name)
        except AssertionError as complaint:
            complaints.append(f"{name}: {complaint}")
    stage.beeminder.moods.clear()
    expect(not complaints, "; ".join(complaints))


@case("answers that say nothing for sure: the same bytes again, one datapoint")
def unclear_answers(stage):
    def judge(relay, press, name):
        event = _await_state(relay, press, {"delivered", "refused"})
        expect(event["state"] == "delivered", f"it is {event['state']}")
        bodies = stage.beeminder.posts_of(press.id)
        expect(len(bodies) >= 2, f"it was sent {len(bodies)} times")
        expect(len(set(bodies)) == 1, f"the repetition differs: {set(bodies)}")

    _each(stage, RETRIED, judge)


@case("no answer within 30 s, before and after keeping: sent again, others do not wait")
def no_answer(stage):
    relay = stage.start(delivers=True)
    stage.beeminder.moods["water"].append(Mood(stalls=45, hangs_up=True))
    press = _press_one(stage, relay)
    other = _press_one(stage, relay, "walk")
    event = _await_state(relay, other, {"delivered"}, 10)
    expect(event["state"] == "delivered", "one silent goal holds up another")
    event = _await_state(relay, press, {"delivered"}, 45)
    expect(event["state"] == "delivered", f"it is {event}")


@case("an undone press that Beeminder applies after its 504 is deleted a minute later")
def applied_late(stage):
    relay, beeminder = stage.start(delivers=True), stage.beeminder
    applied = threading.Event()

    def apply_later(press):
        while not beeminder.posts_of(press.id):
            time.sleep(0.05)
        time.sleep(3)
        beeminder.keep(beeminder.sent(press.id))
        applied.set()

    beeminder.always["water"] = Mood(504, HTML)
    press = _press_one(stage, relay)
    threading.Thread(target=apply_later, args=(press,), daemon=True).start()
    _until(lambda: beeminder.posts_of(press.id), 10)
    event = relay.ask("DELETE", f"/events/{press.id}").json
    expect(event["state"] == "undone", f"it is {event}")
    expect(applied.wait(20), "it was never applied")
    expect(beeminder.point("water", press.id), "it is not there, so nothing is shown")
    _until(lambda: beeminder.point("water", press.id) is None, 90)
    expect(beeminder.point("water", press.id) is None, "it was undone and is there")
    # It is not to arrive.
    del stage.book.acknowledged[press.id]


@case("Beeminder hangs and nothing else is due: the relay waits without a processor")
def waits_quietly(stage):
    relay = stage.start(delivers=True)
    _await_state(relay, _press_one(stage, relay), {"delivered"})
    before = len(stage.beeminder.gets)
    stage.beeminder.for_all = Mood(stalls=6)
    # The goals are asked for when the relay wakes up, some seconds after a delivery.
    _until(lambda: len(stage.beeminder.gets) > before, 10)
    used, start = relay.processor_seconds(), time.monotonic()
    time.sleep(3)
    share = (relay.processor_seconds() - used) / (time.monotonic() - start)
    stage.beeminder.for_all = None
    stage.note(f"{share:.0%} of a processor")
    expect(share < 0.1, f"it used {share:.0%} of a processor")


# A kept connection that dies under a POST may not be noticed before the time-out of 30 s.
HUNG_UP_SECONDS = 40


@case("hung up in the middle, on a kept connection: sent again within one time-out")
def hung_up(stage):
    relay = stage.start(delivers=True)
    for goal in ("water", "walk"):  # The connections are in use from here on.
        _await_state(relay, _press_one(stage, relay, goal), {"delivered"})
    stage.beeminder.moods["water"].append(Mood(hangs_up=True))
    stage.beeminder.moods["walk"].append(Mood(hangs_up=True, keeps=True))
    start = time.monotonic()
    presses = [_press_one(stage, relay, goal) for goal in ("water", "walk")]
    events = [_await_state(relay, press, {"delivered"}, 45) for press in presses]
    seconds = time.monotonic() - start
    stage.note(f"after {seconds:.1f} s")
    expect(all(event["state"] == "delivered" for event in events), f"they are {events}")
    expect(seconds < HUNG_UP_SECONDS, f"both stood still for {seconds:.0f} s")


@case("answers that mean never: refused, in view, and the next press goes on")
def refusals(stage):
    stage.refused_is_fine = True

    def judge(relay, press, name):
        event = _await_state(relay, press, {"delivered", "refused"})
        expect(event["state"] == "refused", f"it is {event['state']}")
        expect(event["refusal"]["status"] == int(name), f"the reason is {event['refusal']}")
        why = event["refusal"]["why"]
        expect(why and "{" not in why, f"the reason is {event['refusal']}")
        following = _press_one(stage, relay)
        expect(_await_state(relay, following, {"delivered"})["state"] == "delivered",
               "the next is held up")
        expect(relay.health()[1]["refused"] > 0, "I6: health says nothing of it")

    _each(stage, REFUSED, judge)
    stage.stop_relays()
    relay = stage.start(delivers=True)
    expect(relay.health()[1]["refused"] == len(REFUSED), "a restart forgot what was refused")


def _is_delivered(relay, press, name):
    event = _await_state(relay, press, {"delivered", "refused"})
    expect(event["state"] == "delivered", f"it is {event['state']}")


@case("'duplicate': Beeminder has it, so it is done")
def duplicates(stage):
    _each(stage, DUPLICATE, _is_delivered)


@case("'duplicate' in unclear words: the goal's datapoints tell that it is done")
def unclear_duplicates(stage):
    _each(stage, UNCLEAR_DUPLICATE, _is_delivered)


@case("429 and 503 with Retry-After: everybody waits as long as was asked")
def asked_to_wait(stage):
    relay = stage.start(delivers=True)
    for status in (429, 503):
        _waits(stage, relay, status, "2", 1.9)
        # A date has no fractions, so three seconds ahead are more than two.
        date = email.utils.formatdate(time.time() + 3, usegmt=True)
        _waits(stage, relay, status, date, 1.9)
    stage.beeminder.moods["water"].append(Mood(429))
    press = _press_one(stage, relay)
    event = _await_state(relay, press, {"delivered"}, flush=False)
    expect(event["state"] == "delivered", "429 alone is not retried")


def _waits(stage, relay, status, words, least):
    stage.beeminder.moods["water"].append(Mood(status, b"", (("Retry-After", words),)))
    first = _press_one(stage, relay)
    _until(lambda: stage.beeminder.posts_of(first.id), 5)
    asked = time.monotonic()
    time.sleep(0.2)  # The answer is on its way; until it is there nobody knows of it.
    second = _press_one(stage, relay, "walk")
    event = _await_state(relay, second, {"delivered"}, 15, flush=False)
    waited = time.monotonic() - asked
    expect(event["state"] == "delivered", f"{status}: it is {event['state']}")
    expect(waited >= least, f"{status} with {words}: only {waited:.1f} s were waited")
    _await_state(relay, first, {"delivered"}, 15)


def _until(test, seconds):
    until = time.monotonic() + seconds
    while not test():
        expect(time.monotonic() < until, "it never came")
        time.sleep(0.01)


@case("401 and 403: all wait, health says why, and after the sign-in all is delivered")
def signed_out(stage):
    for status in (401, 403):
        relay = stage.start(delivers=True)
        stage.beeminder.for_all = Mood(status, b'{"errors":"bad token"}')
        press = _press_one(stage, relay)
        code, words = relay.await_health(lambda words: words["sync"] == "signInAgain", 5)
        expect(words["sync"] == "signInAgain" and code == 503, f"I6: {status}: {words}")
        others = [_press_one(stage, relay, goal) for goal in ("walk", "reading")]
        time.sleep(0.3)
        posts = sum(len(stage.beeminder.posts_of(p.id)) for p in others)
        expect(posts == 0, f"{status}: {posts} were sent although the token is refused")
        stage.beeminder.for_all = None
        for waiting in (press, *others):
            event = _await_state(relay, waiting, {"delivered"})
            expect(event["state"] == "delivered", f"{status}: {waiting.id} is {event['state']}")
        relay.kill()


@case("redirects and strangers at the address: not followed, held, said")
def redirected(stage):
    for status in (301, 302, 303, 307, 308):
        relay = stage.start(delivers=True)
        _until(lambda: stage.beeminder.gets, 5)
        target = f"{stage.beeminder.url}/api/v1/elsewhere.json"
        stage.beeminder.moods["water"].append(Mood(status, HTML, (("Location", target),)))
        press = _press_one(stage, relay)
        _until(lambda: stage.beeminder.posts_of(press.id), 5)
        time.sleep(0.3)
        followed = [path for path in stage.beeminder.gets if path.endswith("/elsewhere.json")]
        expect(not followed, f"{status}: the redirect was followed")
        code, words = relay.health()
        expect(words["status"] != "ok", f"I6: {status}: health says {words}")
        event = _await_state(relay, press, {"delivered"})
        expect(event["state"] == "delivered", f"{status}: after a flush it is {event}")
        expect(relay.end() == 0, "the end was not clean")


@case("one goal is gone, nine are fine")
def one_goal_gone(stage):
    goals = [f"goal{number}" for number in range(10)]
    stage.beeminder.goals = list(goals)
    relay = stage.start(delivers=True)
    stage.beeminder.always["goal3"] = Mood(404, b'{"error":"not found"}')
    presses = [_press_one(stage, relay, goal) for goal in goals * 5]
    for press in presses:
        if press.goal != "goal3":
            event = _await_state(relay, press, {"delivered"}, flush=False)
            expect(event["state"] == "delivered", f"{press.goal} is held up: {event}")
    gone = [press for press in presses if press.goal == "goal3"]
    event = relay.event(gone[0].id)
    expect(event["state"] == "held" and event.get("lastError"), f"the lost goal's: {event}")
    sent = sum(len(stage.beeminder.posts_of(press.id)) for press in gone)
    expect(sent <= 2, f"the lost goal was tried {sent} times at once")


@case("killed between Beeminder's 200 and `done`: still one datapoint")
def killed_before_done(stage):
    for number in range(stage.count(15, 100)):
        relay = stage.start(delivers=True)
        relay.await_health(lambda words: words["queued"] == 0, 10)
        press = stage.book.press(goal="water")
        if number % 2:
            # It is kept; the answer never comes.
            mood = Mood(keeps=True, hangs_up=True, then=relay.kill)
            stage.beeminder.moods["water"].append(mood)
        try:
            with relay.connect() as connection:
                connection.press(stage.book, press)
        except OSError:
            pass  # Beeminder was quicker than the answer to the device.
        _until(lambda: stage.beeminder.point("water", press.id), 10)
        time.sleep(stage.random.uniform(0, 0.02))
        relay.kill()


@case("Beeminder is away, comes back, and finds everything in order")
def away_and_back(stage):
    stage.beeminder.stop()
    relay = stage.start(delivers=True)
    with stage.load(relay, clients=4) as load:
        load.wait(1)
    expect(relay.health()[1]["sync"] != "online", "I6: health calls it online")
    before = len(stage.book.acknowledged)
    stage.beeminder.start()
    relay.await_health(lambda words: words["queued"] == 0, 60, flush=True)
    order = {}
    for _, goal, requestid, _ in stage.beeminder.posts:
        order.setdefault(goal, []).append(requestid)
    stage.note(f"{before} waited")
