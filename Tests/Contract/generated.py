#!/usr/bin/env python3
"""A client that openapi-python-client made of openapi.yaml posts a press and reads it back.

    generated.py RELAY TOKEN BEEMINDER      with the package `relay_client` on PYTHONPATH
"""
import json
import sys
import time
import urllib.request

from relay_client.api.default import (
    get_context, get_event, log_press, log_press_to_goal, undo_event)
from relay_client.client import AuthenticatedClient
from relay_client.models import Accepted, Event, Press

RELAY, TOKEN, BEEMINDER = sys.argv[1:]


def datapoints():
    url = f"{BEEMINDER}/api/v1/users/me/goals/water/datapoints.json?auth_token=simulated-token"
    with urllib.request.urlopen(url, timeout=10) as answer:
        return {point["requestid"]: point for point in json.load(answer)}


def until(found, what):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        result = found()
        if result:
            return result
        time.sleep(0.05)
    sys.exit(f"never: {what}")


def main():
    client = AuthenticatedClient(base_url=RELAY, token=TOKEN)
    press = Press(goal="water", value=0.25, comment="a glass", id="generated-1")
    answer = log_press.sync(client=client, body=press)
    assert isinstance(answer, Accepted), answer
    assert (answer.ok, answer.id, answer.goal, answer.value) == (True, "generated-1", "water", 0.25)
    assert answer.duplicate is False
    again = log_press_to_goal.sync("water", client=client, body=press)
    assert again.duplicate is True, again

    def delivered():
        event = get_event.sync("generated-1", client=client)
        assert isinstance(event, Event), event
        return event if event.state == "delivered" else None

    event = until(delivered, "delivered")
    assert (event.value, event.comment) == (0.25, "a glass"), event
    point = datapoints()[event.requestid]
    assert (point["value"], point["comment"]) == (0.25, "a glass"), point
    assert get_context.sync(client=client) is not None
    assert undo_event.sync("generated-1", client=client).state == "undone"
    until(lambda: event.requestid not in datapoints(), "taken back")


if __name__ == "__main__":
    main()
