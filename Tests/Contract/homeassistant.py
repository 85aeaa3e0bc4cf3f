#!/usr/bin/env python3
"""The templates of the recipe for Home Assistant, on the relay's answers: homeassistant.py URL TOKEN

Wants PyYAML and Jinja2, which Home Assistant uses too; its own functions are stand-ins here.
"""
import json
import pathlib
import sys
import urllib.error
import urllib.request

import jinja2
import yaml

RECIPE = pathlib.Path(__file__).resolve().parents[2] / "recipes/home-assistant.yaml"
URL, TOKEN = sys.argv[1:]


class Loader(yaml.SafeLoader):
    pass


Loader.add_multi_constructor("!", lambda loader, tag, node: None)


def ask(path, method="GET", body=None):
    """Status and text."""
    request = urllib.request.Request(
        URL + path, body, {"Authorization": f"Bearer {TOKEN}"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def render(template, **values):
    return jinja2.Environment().from_string(template).render(values).strip()


def check_emergency(package):
    """An unpinned critical goal is an emergency, and without knowledge there is neither."""
    counter, = [one for one in package["sensor"] if one["unique_id"] == "beemed_relay_emergencies"]
    sensor = package["template"][0]["binary_sensor"][0]

    def seen(text):
        """Availability and state of the sensor, when /goals has answered this."""
        try:
            count = render(counter["value_template"], value_json=json.loads(text))
        except jinja2.UndefinedError:
            count = "unknown"
        names = {
            "has_value": lambda name: count not in ["unknown", "unavailable"],
            "states": lambda name: count}
        assert "'sensor.beeminder_emergencies'" in sensor["state"]
        assert counter["name"] == "Beeminder emergencies"
        is_available = render(sensor["availability"], **names) == "True"
        return is_available and render(sensor["state"], **names)

    goals = [{"urgency": "safe", "pinned": True}, {"urgency": "critical", "pinned": False}]
    assert seen(json.dumps({"known": True, "goals": goals})) == "True"
    assert seen(json.dumps({"known": True, "goals": goals[:1]})) == "False"
    assert seen(json.dumps({"known": False, "goals": []})) is False
    assert seen(ask("/goals/nothing")[1]) is False, "a refusal"
    assert counter["resource"] == "http://RELAY:2336/goals"
    status, text = ask("/goals")
    urgencies = [goal["urgency"] for goal in json.loads(text)["goals"]]
    assert status == 200 and urgencies, text
    assert seen(text) == str("critical" in urgencies), text


def check_answers(package):
    """What the script makes of answers: the relay's own, and those of something else."""
    steps = package["script"]["beeminder_log"]["sequence"][1]["repeat"]["sequence"]
    taken, refused = [one["if"] for one in steps if "if" in one][-2:]

    def read(status, text, content=None):
        answer = {"status": status, "content": text if content is None else content}
        return [render(one, answer=answer) for one in (taken, refused)]

    status, text = ask("/log/water", "POST", b'{"value": 1}')
    assert status == 200 and read(status, text, json.loads(text)) == ["True", "False"], text
    status, text = ask("/log/water", "POST", b'{"value": "much"}')
    assert status == 422 and read(status, text) == ["False", "True"], text
    assert read(status, text, json.loads(text)) == ["False", "True"], text
    status, text = ask("/log/water", "POST", b'{"value": 1, "token": "br_wrong"}')
    assert read(401, text) == ["False", "False"], text
    for status, text in [(200, "<html>"), (200, ""), (403, "<html>the code: 403"), (502, "<html>")]:
        assert read(status, text) == ["False", "False"], (status, text)


def main():
    package = yaml.load(RECIPE.read_text(), Loader)
    check_emergency(package)
    check_answers(package)


if __name__ == "__main__":
    main()
