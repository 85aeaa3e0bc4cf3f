#!/usr/bin/env python3
"""The web page in a real browser: Chromium, through W3C WebDriver, at a relay of its own for each case.
A case mostly waits for something to happen, so that two run at once.

What is of Debian must be there (.ci/run installs it): chromium, chromium-driver, zbar-tools. axe-core
comes of PyPI and goes into .build/browser. PROGRAM is another build than the release; arguments are
the names of cases to run.
"""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import time
import traceback

import cases
import stage
import webdriver

TOOLS = stage.ROOT / ".build/browser"
# axe-core 4.12.1 (MPL 2.0), of which the tests use the file alone.
NEEDED = "axe-playwright-python==0.1.8"
# How many cases run at once.
BROWSERS = 2


def axe():
    """The text of axe-core."""
    place = TOOLS / "axe_playwright_python/axe.min.js"
    if not place.exists():
        subprocess.run(
            [sys.executable, "-m", "venv", "--clear", TOOLS / "venv"], check=True)
        subprocess.run(
            [TOOLS / "venv/bin/pip", "install", "--quiet", "--no-deps", "--target", TOOLS, NEEDED],
            check=True)
    return place.read_text()


def run(entry, driver, script):
    """Runs a case; prints how it went, and returns whether it held."""
    function, needs, _ = entry
    began = time.monotonic()
    try:
        with stage.stage(driver, **needs) as on:
            on.axe = script
            function(on)
    except Exception:  # One failure does not keep the others from being tried.
        print(f"FAILED {function.__name__}: {function.__doc__}\n{traceback.format_exc()}", flush=True)
        return False
    print(f"ok     {function.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


def main():
    """Runs all cases, or those that are named."""
    for tool in ["chromium", "chromedriver", "zbarimg"]:
        if not shutil.which(tool):
            sys.exit(f"missing: {tool}")
    script = axe()
    wanted = set(sys.argv[1:])
    chosen = [entry for entry in cases.CASES if not wanted or entry[0].__name__ in wanted]
    assert chosen, f"no such case; there are {[entry[0].__name__ for entry in cases.CASES]}"
    alone = [entry for entry in chosen if entry[2]]
    together = [entry for entry in chosen if not entry[2]]
    with webdriver.driver() as driver, concurrent.futures.ThreadPoolExecutor(BROWSERS) as browsers:
        held = [run(entry, driver, script) for entry in alone]
        held += browsers.map(lambda entry: run(entry, driver, script), together)
    failed = [entry[0].__name__ for entry, well in zip(alone + together, held) if not well]
    if failed:
        sys.exit(f"{len(failed)} of {len(chosen)} failed: {', '.join(failed)}")
    print(f"{len(chosen)} cases held")


if __name__ == "__main__":
    main()
