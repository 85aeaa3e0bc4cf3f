#!/usr/bin/env python3
"""Other people's clients of Beeminder, from PyPI, against the simulator: clients.py URL

pyminder and beeminder-client are used as their users do, for their main calls. Neither has a setting
for the server, so the constant with its address is replaced. Ends with 0 when all of them work.
"""
import sys
import time

import requests
from beeminder_client import BeeminderAPI
from pyminder.beeminder import Beeminder
from pyminder.pyminder import Pyminder

URL = sys.argv[1].rstrip("/")
USER, TOKEN = "alice", "simulated-token"
DAY = 86_400


def with_pyminder():
    Beeminder._base_url = URL + "/"
    client = Pyminder(USER, TOKEN)
    goals = client.get_goals()
    assert {"water", "pushups"} <= {goal.slug for goal in goals}, [goal.slug for goal in goals]
    goal = client.get_goal("water")
    before, at = goal.get_data_sum(time.time() + DAY), int(time.time())
    goal.stage_datapoint(2.5, at, "from pyminder")
    assert goal.get_data_sum(time.time() + DAY) == before + 2.5
    goal.commit_datapoints()
    goal.reset_datapoints()
    newest = max(goal.get_all_datapoints(), key=lambda point: point["id"])
    assert (newest["value"], newest["comment"]) == (2.5, "from pyminder"), newest
    assert goal.get_needed(time.time()) >= 0 and goal.get_rate(time.time()) is not None
    raw = Beeminder()
    raw.set_username(USER)
    raw.set_auth_token(TOKEN)
    assert raw.get_user()["username"] == USER
    changed = raw.update_goal("water", title="Drink", yaxis="glasses")
    assert (changed["title"], changed["yaxis"]) == ("Drink", "glasses"), changed
    # Its roadall is no list of rows by the time it is a form; Beeminder cannot parse it either.
    try:
        goal.commit_road()
    except Exception as refusal:
        assert "Error parsing params (roadall)" in str(refusal), refusal
    else:
        raise AssertionError("a roadall that is none was taken")


def with_beeminder_client():
    BeeminderAPI.BASE_URL = URL
    client = BeeminderAPI(TOKEN, default_user=USER)
    user = client.get_user()
    assert user.username == USER and "water" in user.goals, user
    goals = client.get_all_goals(None)
    assert [goal.slug for goal in goals] == user.goals
    made = client.create_goal(None, {
        "slug": "steps", "goal_type": "hustler", "gunits": "steps", "rate": 1,
        "goaldate": int(time.time()) + 900 * DAY, "title": "Steps"})
    assert (made.slug, made.title, made.goal_type) == ("steps", "Steps", "hustler"), made
    point = client.create_datapoint(None, "steps", 3, comment="up", requestid="one")
    assert (point.value, point.comment, point.requestid) == (3, "up", "one"), point
    try:
        client.create_datapoint(None, "steps", 3, comment="up", requestid="one")
    except requests.HTTPError as duplicate:
        assert duplicate.response.status_code == 422, duplicate
    else:
        raise AssertionError("a duplicate was taken")
    newer = client.create_datapoint(None, "steps", 4, comment="up", requestid="one")
    assert (newer.id, newer.value) == (point.id, 4), newer
    client.create_datapoint(None, "steps", 1, daystamp=time.strftime("%Y%m%d"))
    assert len(client.get_datapoints(None, "steps")) == 3
    assert len(client.get_datapoints(None, "steps", sort="timestamp", page=1, per=2)) == 2
    goal = client.get_goal(None, "steps", datapoints=True)
    assert sorted(point.value for point in goal.datapoints) == [0, 1, 4], goal.datapoints
    assert client.get_archived_goals(None) == []
    # It asks for a redirect and reads what is there as JSON.
    target = f"/api/v1/users/me.json?auth_token={TOKEN}"
    there = client.authenticate_and_redirect(None, redirect_to_url=target)
    assert there["username"] == USER, there


if __name__ == "__main__":
    with_pyminder()
    with_beeminder_client()
