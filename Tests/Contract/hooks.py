"""What schemathesis cannot make up: names of things that are there. Loaded by SCHEMATHESIS_HOOKS.

Half of the valid cases of presses, pins, retry and login get a goal of the account, a refused press
and a link that was just made, so that their successes are met too. What every operation answered is
counted, and written to the file TALLY at the end.
"""
import atexit
import collections
import itertools
import json
import os
import urllib.request

import schemathesis
from schemathesis import GenerationMode

RELAY, TOKEN = os.environ["RELAY"], os.environ["TOKEN"]
turn = collections.defaultdict(itertools.count)
tally = collections.defaultdict(collections.Counter)


def ask(method, path):
    request = urllib.request.Request(
        RELAY + path, method=method, headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def fresh_code():
    """The code of a link that signs a browser in, once."""
    return ask("POST", "/owner-link")["path"].split("code=")[1]


def refused_press(number):
    return f"refused-{number % int(os.environ['REFUSED']) + 1}"


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    """A value a line; a text is lines already."""
    return (value if isinstance(value, str) else json.dumps(value)).encode(errors="replace")


def agree(case):
    """Leaves in the query alone what it and the body both name: two that differ are refused."""
    wrong = case.meta is not None and case.meta.generation.mode is GenerationMode.NEGATIVE
    for name in ("token",) if wrong else ("token", "goal"):
        if isinstance(case.body, dict) and name in (case.query or {}):
            case.body.pop(name, None)


@schemathesis.hook
def filter_body(context, body):
    """Leaves out bytes that are no JSON and yet a press: a declared type is only a hint there.

    Devices send an empty line, a bare number or a form with the type of JSON; PressReadingTests
    say what each of these means.
    """
    if isinstance(body, str) and context.operation.path == "/qr":
        # The limit is in bytes, and the contract can give characters only.
        return len(body.encode(errors="replace")) <= 230
    if not isinstance(body, bytes) or "/log" not in context.operation.path:
        return True
    text = body.strip()
    return bool(text) and b"=" not in text and text[:1] not in b"+-.0123456789"


@schemathesis.hook
def before_call(context, case, kwargs):
    label = case.operation.label
    agree(case)
    known = [
        "POST /log", "POST /log/{goal}", "PUT /pins/{goal}", "DELETE /pins/{goal}",
        "POST /events/{id}/retry", "GET /login"]
    if label not in known or case.meta is None:
        return
    if case.meta.generation.mode is GenerationMode.NEGATIVE:
        return
    number = next(turn[label])
    if number % 2:
        return
    if label.startswith("POST /log"):
        # The members of a press must agree wherever they stand, which generated ones do not.
        case.query = {}
        if isinstance(case.body, dict):
            case.body = {"goal": "water", "value": 1}
        if "goal" in (case.path_parameters or {}):
            case.path_parameters["goal"] = "water"
    elif label.endswith("/pins/{goal}"):
        goal = case.path_parameters["goal"] = ["water", "pushups"][number // 2 % 2]
        if label.startswith("DELETE"):
            ask("PUT", "/pins/" + goal)  # A pin that is not there cannot be taken away.
    elif label == "GET /login":
        case.query = {**(case.query or {}), "code": fresh_code()}
    else:
        case.path_parameters["id"] = refused_press(number // 2)
        if case.query:
            case.query = {**case.query, "goal": "reading"}
        if isinstance(case.body, dict) and "goal" in case.body:
            case.body = {**case.body, "goal": "reading"}


@schemathesis.hook
def after_call(context, case, response):
    tally[case.operation.label][response.status_code] += 1


@atexit.register
def write():
    with open(os.environ["TALLY"], "w") as file:
        json.dump(tally, file)
