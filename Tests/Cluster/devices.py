"""Devices that press without pause: each keeps a press until a 200, and asks the relays in turn."""

import http.client
import json
import threading
import time

from world import PORT


class Device(threading.Thread):
    """One button. Its presses go to one goal, in order, each with an id and a time."""

    def __init__(self, name, goal, token, addresses, pause):
        super().__init__(daemon=True)
        self.label = name
        self.goal = goal
        self.token = token
        self.addresses = addresses
        self.pause = pause
        self.offered = []
        self.acknowledged = []
        # Monotonic times of acknowledgements, for the silence after a fault.
        self.times = []
        self.answers = {}
        self.is_ending = False

    def run(self):
        count = 0
        at = 0
        while not self.is_ending:
            count += 1
            identifier = f"{self.label}-{count}"
            body = json.dumps({"id": identifier, "goal": self.goal, "value": 1,
                               "comment": identifier, "timestamp": int(time.time())})
            self.offered.append(identifier)
            while True:
                status = self.send(self.addresses[at % len(self.addresses)], body)
                self.answers[status] = self.answers.get(status, 0) + 1
                if status == 200:
                    self.acknowledged.append(identifier)
                    self.times.append(time.monotonic())
                    break
                at += 1
                time.sleep(0.1)
            time.sleep(self.pause)

    def send(self, address, body):
        connection = http.client.HTTPConnection(address, PORT, timeout=5)
        try:
            connection.request("POST", "/log", body, {
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


def silence_after(devices, moment):
    """Seconds from a fault to the first acknowledgement of a press that was sent after it, by the
    device that waited longest; None if one still waits."""
    waits = []
    for device in devices:
        later = [at for at in device.times if at > moment + 0.05]
        if not later:
            return None
        waits.append(later[0] - moment)
    return max(waits)
