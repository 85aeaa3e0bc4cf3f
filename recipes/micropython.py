"""A button on a board with MicroPython that keeps its presses while the relay is away.

Save it as main.py. An interrupt counts the presses, since a request holds up the loop for seconds
while the relay is silent. From there a press goes into a file, and leaves it when the relay has
answered 200. Its id is a random word, made at the very first start, and a number that only grows:
no id is ever used twice, and a press that is sent again counts once. It runs under CPython too,
where the project's tests try it.
"""
import json
import os
import socket
import time

HOST = "RELAY"
PORT = 2336
GOAL = "GOAL"
TOKEN = "TOKEN"  # beemed-relay device add button --goals GOAL
OTHER = None  # A second relay that knows this device, asked when the first does not answer.
WIFI = ("WIFI", "PASSWORD")
PIN = 0  # The button; to ground when pressed.

STATE = "presses.json"
ROOM = 200  # Presses that the file holds; more stay in memory.
BOUNCE = 40  # Milliseconds for which contacts bounce.
# Refusals of one press alone: sent again it would be refused again, and hold up the others.
REFUSED = (400, 409, 413, 415, 422)


class Button:
    """Counts presses at both edges of a pin; `edge` is what the interrupt calls.

    An edge after a quiet time is a press or a release, and those that follow at once are its
    bounces. It does not ask for the level, which may be another one by the time it runs.
    """

    def __init__(self, read, ticks, diff):
        self.read, self.ticks, self.diff = read, ticks, diff
        self.is_down = False
        self.last = ticks() - 2 * BOUNCE
        self.times = []  # When each press was made that nobody has taken yet.

    def edge(self, pin=None):
        now = self.ticks()
        is_quiet = self.diff(now, self.last) > BOUNCE
        self.last = now
        if is_quiet:
            self.is_down = not self.is_down
            if self.is_down:
                self.times.append(now)

    def settle(self):
        """For the loop: after a quiet time the level is what it is, whatever edge was missed."""
        if self.diff(self.ticks(), self.last) <= BOUNCE:
            return
        is_down = self.read() == 0
        if is_down and not self.is_down:
            self.times.append(self.ticks())
        self.is_down = is_down

    def take(self):
        """The age in seconds of the oldest press that was not taken yet; None without one."""
        if not self.times:
            return None
        return self.diff(self.ticks(), self.times.pop(0)) // 1000


def load():
    """The state saved last: {"name": ..., "count": ..., "waiting": [...]}"""
    for path in (STATE, STATE + ".new"):
        try:
            with open(path) as file:
                return json.load(file)
        except (OSError, ValueError):
            pass  # Not there, or written by half when the power went.
    name = "m" + "".join("%02x" % byte for byte in os.urandom(6))
    return {"name": name, "count": 0, "waiting": []}


def save(state):
    """Whole or not at all: into another file, which then takes the place of the first."""
    with open(STATE + ".new", "w") as file:
        json.dump(state, file)
        file.flush()
    os.rename(STATE + ".new", STATE)


def now():
    """Unix seconds, or None before the clock is set. Some boards count from the year 2000."""
    seconds = int(time.time()) + (946684800 if time.gmtime(0)[0] == 2000 else 0)
    return seconds if seconds > 1700000000 else None


def press(state, value=1, age=0):
    """Keeps one press, made so many seconds ago. When this returns, it survives the power."""
    state["count"] += 1
    event = {"goal": GOAL, "value": value, "id": "%s-%d" % (state["name"], state["count"])}
    if now() is not None:
        event["timestamp"] = now() - age
    state["waiting"].append(event)
    save(state)


def post(event):
    """Sends one press, to the other relay when the first does not take it. Returns the status, or
    None when there was no answer of a relay."""
    status = post_to(HOST, event)
    if OTHER and (status is None or status >= 500):
        status = post_to(OTHER, event)
    return status


def post_to(host, event):
    body = json.dumps(event)
    connection = socket.socket()
    try:
        connection.settimeout(5)
        connection.connect(socket.getaddrinfo(host, PORT)[0][-1])
        head = ["POST /log HTTP/1.0", "Host: " + host, "Authorization: Bearer " + TOKEN]
        head += ["Content-Length: %d" % len(body), "", body]
        connection.sendall("\r\n".join(head).encode())
        answer = b""
        while True:
            more = connection.recv(256)
            if not more:
                break
            answer += more
        head, _, detail = answer.partition(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        if status != 200:
            print(detail.decode())
        # A proxy or a login page answers 200 and 403, too; these are the relay's own words.
        return status if (b'"ok":true' if status == 200 else b'"code":"') in detail else None
    except (OSError, ValueError, IndexError):
        return None
    finally:
        connection.close()


def send(state):
    """Sends what waits, oldest first. Returns True when nothing is left."""
    while state["waiting"]:
        status = post(state["waiting"][0])
        if status != 200 and status not in REFUSED:
            return False  # Later again, with the same id.
        event = state["waiting"].pop(0)
        if status != 200:
            print("refused for good:", event)
            state["refused"] = state.get("refused", [])[-9:] + [event]
        save(state)
    return True


def main():
    """On the board: waits for the button, and sends every ten seconds what could not be sent."""
    import machine
    import network

    wifi = network.WLAN(network.STA_IF)
    wifi.active(True)
    wifi.connect(*WIFI)
    pin = machine.Pin(PIN, machine.Pin.IN, machine.Pin.PULL_UP)
    button = Button(pin.value, time.ticks_ms, time.ticks_diff)
    pin.irq(button.edge, machine.Pin.IRQ_FALLING | machine.Pin.IRQ_RISING)
    state = load()
    synced = None  # When the clock was set last.
    tried = time.ticks_ms() - 10000
    while True:
        button.settle()
        now()  # The clock of an ESP8266 goes wrong when it is not asked for seven hours.
        if not wifi.isconnected():
            # Ticks of long ago cannot be compared: they begin again within days.
            synced = None
            tried = time.ticks_ms() - 10000
        while button.times and len(state["waiting"]) < ROOM:
            press(state, 1, button.take())
            tried = time.ticks_ms() - 10000
        if wifi.isconnected() and time.ticks_diff(time.ticks_ms(), tried) >= 10000:
            # Set every hour: some boards lose seconds in a minute.
            if synced is None or time.ticks_diff(time.ticks_ms(), synced) >= 3600000:
                try:
                    import ntptime

                    ntptime.settime()
                    synced = time.ticks_ms()
                except (OSError, ImportError):
                    pass  # Presses go without a time; the relay notes when they arrive.
            send(state)
            tried = time.ticks_ms()
        time.sleep_ms(10)


if __name__ == "__main__":
    main()
