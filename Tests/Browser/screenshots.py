#!/usr/bin/env python3
"""The pictures in docs/images, of the page on a phone.

They are made of a relay with its simulated Beeminder, which has goals and two weeks of presses for
it, and written as PNG with a palette, so that they stay small. PROGRAM is another build than the
release.
"""
import pathlib
import struct
import time
import zlib

import stage
import webdriver

IMAGES = stage.ROOT / "docs/images"
# Each with the tones in which it is wanted.
WANTED = {"goals": "light", "goal": "dark", "events": "light"}
GOALS = [
    ("piano", "Piano, twenty minutes", "minutes", 20), ("german", "German lessons", "lessons", 1),
    ("steps", "Walk to work", "steps", 8000), ("inbox", "Inbox below ten", "mails", 3),
    ("writing", "Write the book", "words", 250), ("stretch", "Stretch in the morning", "times", 1)]
PINNED = ["water", "reading", "steps"]
# What each lacks or has in advance, in its units.
AHEAD = {"pushups": 34, "water": 5, "reading": 20, "piano": -18, "german": -1, "steps": 22000, "inbox": 4, "writing": 2000,
         "stretch": 9}


def pixels(png):
    """Width, height and the rows of a PNG of 8 bits a colour, without an alpha value."""
    place, data = 8, b""
    while place < len(png):
        length, = struct.unpack(">I", png[place:place + 4])
        kind, content = png[place + 4:place + 8], png[place + 8:place + 8 + length]
        place += 12 + length
        if kind == b"IHDR":
            width, height, bits, colours = struct.unpack(">IIBB", content[:10])
        elif kind == b"IDAT":
            data += content
    assert bits == 8 and colours in (2, 6), (bits, colours)
    size = 3 if colours == 2 else 4
    data, rows, before = zlib.decompress(data), [], bytearray(width * size)
    for row in range(height):
        start = row * (width * size + 1)
        line = unfiltered(data[start], bytearray(data[start + 1:start + 1 + width * size]), before, size)
        before = line
        rows.append([bytes(line[at:at + 3]) for at in range(0, len(line), size)])
    return width, height, rows


def unfiltered(kind, line, before, size):
    """A row without the filter that it was packed with (PNG specification, section 9)."""
    for at in range(len(line)):
        left = line[at - size] if at >= size else 0
        up = before[at]
        corner = before[at - size] if at >= size else 0
        if kind == 4:
            guess = left + up - corner
            best = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        else:
            best = [0, left, up, (left + up) // 2][kind]
        line[at] = (line[at] + best) & 255
    return line


def chunk(kind, content):
    """One part of a PNG."""
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))


def shrink(path):
    """Writes a PNG again with the 256 colours that it has most of."""
    width, height, rows = pixels(path.read_bytes())
    counts = {}
    for row in rows:
        for colour in row:
            counts[colour] = counts.get(colour, 0) + 1
    palette = sorted(counts, key=counts.get, reverse=True)[:256]
    places = {colour: place for place, colour in enumerate(palette)}
    for colour in counts:
        if colour not in places:
            places[colour] = min(range(len(palette)), key=lambda at: sum(
                (a - b) ** 2 for a, b in zip(palette[at], colour)))
    packed = b"".join(b"\0" + bytes(places[colour] for colour in row) for row in rows)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(packed, 9)) + chunk(b"IEND", b""))


def furnish(on):
    """Two weeks of a life: two goals are due today, and a press is refused."""
    for slug, title, units, rate in GOALS:
        on.control("goals", slug=slug, units=units, rate=rate, pledge=5)
        on.rename(slug, title)
    on.ask("POST", "/goals/refresh")
    on.until(lambda: len(on.ask("GET", "/goals")["goals"]) == len(GOALS) + 3, "the goals")
    for goal in PINNED:
        on.ask("PUT", f"/pins/{goal}")
    on.ask("PUT", "/presets/glass", {"goal": "water", "value": 0.25, "comment": "a glass", "minimumInterval": 5})
    button = on.ask("POST", "/devices", {"name": "kitchen", "goals": ["water"], "goal": "water"})["token"]
    watch = on.ask("POST", "/devices", {"name": "watch"})["token"]
    now = int(time.time())
    events = []
    for number, (goal, ahead) in enumerate(AHEAD.items()):
        days = [day for day in range(13, -1, -1) if (day * 7 + number * 5 + day * number) % 11 <= 7 and (day or number < 3)]
        shares = [1 + (day * 5 + number) % 4 for day in days]
        for day, share in zip(days, shares):
            value = round(ahead * share / sum(shares), 2 if goal == "water" else 0) or 1
            events.append({"goal": goal, "value": value if ahead > 0 else 1, "id": f"w{day}-{goal}",
                           "timestamp": now - day * 86_400 - 1200 * number - 60})
    on.ask("POST", "/events", events, watch)
    on.ask("POST", "/log", {"value": 0.5, "comment": "two glasses", "id": "k1"}, button)
    on.until(lambda: on.ask("GET", "/context")["queued"] == 0, "all delivered", 60)
    for goal, ahead in AHEAD.items():
        if ahead < 0:
            on.lack(goal, sum(event["value"] for event in events if event["goal"] == goal) - ahead, now - 40 * 86_400)
    time.sleep(2)  # Beeminder's graphs are a little late.
    on.ask("POST", "/goals/refresh")
    on.until(lambda: all(goal["losedate"] > time.time() for goal in on.ask("GET", "/goals")["goals"]), "the graphs")
    on.control("faults", mood="status", status="422", goal="stretch", method="POST")
    on.ask("POST", "/log/stretch", {"value": 1, "comment": "on the train"}, watch)
    on.until(lambda: on.ask("GET", "/context")["refused"] == 1, "refused")


def states(on):
    """Each picture, and its name."""
    browser = on.browser
    on.go("goals")
    on.card("water")
    on.press("water")
    on.shows("water", "Delivered")
    browser.run("document.getElementById('toast').hidden = true")
    yield "goals"
    on.card("water").find(".open").click()
    browser.find("dialog li.event")
    browser.run("document.activeElement.blur()")
    yield "goal"
    browser.press("Escape")
    on.go("events")
    browser.find("li[data-state=refused]")
    browser.run("document.getElementById('toast').hidden = true")
    yield "events"


def main():
    """Makes all of them."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with webdriver.driver() as driver, stage.stage(driver) as on:
        furnish(on)
        on.sign_in()
        for name in states(on):
            on.browser.prefer(dark=WANTED[name] == "dark", reduced=True)
            time.sleep(0.4)  # So that what was typed or opened has been drawn.
            path = IMAGES / f"{name}-phone-{WANTED[name]}.png"
            on.browser.screenshot(path)
            shrink(path)
            on.browser.prefer(reduced=True)
    total = sum(path.stat().st_size for path in IMAGES.glob("*.png"))
    print(f"{len(list(IMAGES.glob('*.png')))} pictures, {total // 1000} kB")


if __name__ == "__main__":
    main()
