"""What was offered to the relay, and what it promised to keep."""

import json
import random
import threading
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Press:
    id: str
    goal: str
    value: float
    at: int
    comment: str = ""

    def body(self):
        return json.dumps(
            {"goal": self.goal, "id": self.id, "value": self.value, "timestamp": self.at,
             "comment": self.comment}).encode()


class Book:
    """Many clients write into it at once."""

    GOALS = ["water", "pushups", "reading", "walk"]

    def __init__(self, seed):
        self._lock = threading.Lock()
        self._random = random.Random(seed)
        self._count = 0
        self.offered = {}
        self.acknowledged = {}
        # Answered with "nothing was taken": these must never arrive.
        self.declined = set()

    def press(self, goal=None, comment_bytes=0):
        """A new press with an id, a value and a time of its own. Offered from now on."""
        with self._lock:
            self._count += 1
            press = Press(
                id=f"p{self._count}", goal=goal or self._random.choice(self.GOALS),
                value=self._random.randrange(1, 10_000) / 4,
                at=int(time.time()) - self._random.randrange(0, 86_400),
                comment=self._text(comment_bytes))
            self.offered[press.id] = press
            return press

    def _text(self, count):
        return "".join(self._random.choices("abcdefgh", k=count)) if count else ""

    def answer(self, press, status):
        with self._lock:
            if status == 200:
                self.acknowledged[press.id] = press
                self.declined.discard(press.id)
            elif status == 507 and press.id not in self.acknowledged:
                self.declined.add(press.id)

    def newest(self, count):
        """The presses that were acknowledged last."""
        with self._lock:
            return list(self.acknowledged.values())[-count:]

    def oldest(self, count):
        """The presses that were acknowledged first."""
        with self._lock:
            return list(self.acknowledged.values())[:count]

    def snapshot(self):
        with self._lock:
            return dict(self.acknowledged)
