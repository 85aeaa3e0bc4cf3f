#!/usr/bin/env python3
"""Holds a live relay to openapi.yaml, and runs what other people wrote against relay and simulator.

The release binary is started as the relay and as the simulated Beeminder, on free ports of the
loopback address. Against them run schemathesis, a client that openapi-python-client generates, the
Beeminder clients pyminder and beeminder-client, the templates of the recipe for Home Assistant, and
the recipes for nginx and HAProxy; ESPHome checks its recipe, and g++ the sketch for Arduino. What is
of PyPI goes into .build/contract and .build/clients; what is of Debian must be there (.ci/run
installs it).
EXAMPLES=50 is how many requests for each operation. A run makes the same requests each time, so that
what is green stays green; SEED=42 makes others, SEED=random new ones. PROGRAM is another build.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import operations
import recipes

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PROGRAM", ROOT / ".build/release/beemed-relay")
TOOLS = ROOT / ".build/contract"
ACCOUNT = "^/(connection|oauth)"
# An answer without an end is more than it can judge; the tests read it over a socket.
STREAM = "^/context/stream"
NEEDED = ["schemathesis==4.32.5", "PyYAML==6.0.3", "openapi-spec-validator==0.9.0"]
# Apart, since they want other versions of what they share.
CLIENTS = ROOT / ".build/clients"
CLIENTS_NEEDED = [
    "esphome==2026.6.5", "openapi-python-client==0.29.1", "pyminder==1.1.1",
    "beeminder-client==0.1.5"]
# So many presses that Beeminder has refused, for retry to be tried on.
REFUSED = 20
# What must have succeeded at least so often, beside being refused.
SUCCESSES = {
    "POST /log": 3, "POST /log/{goal}": 3, "GET /log/{goal}/trigger": 3, "PUT /pins/{goal}": 3,
    "DELETE /pins/{goal}": 3, "POST /events/{id}/retry": 3, "GET /login": 3}


def install(folder, needed):
    """These packages in that virtual environment, unless they are there already."""
    mark = folder / "installed"
    if mark.exists() and mark.read_text() == "\n".join(needed):
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--quiet", *needed], check=True)
    mark.write_text("\n".join(needed))


def read_yaml():
    """Every YAML file of the project; what Home Assistant and ESPHome tag is left unread."""
    reader = """
import sys, yaml
class Loader(yaml.SafeLoader): pass
Loader.add_multi_constructor("!", lambda loader, tag, node: None)
for path in sys.argv[1:]:
    with open(path) as file: assert isinstance(yaml.load(file, Loader), dict), path
"""
    files = [ROOT / "openapi.yaml", *sorted((ROOT / "recipes").glob("*.yaml"))]
    assert len(files) >= 3, files
    subprocess.run([TOOLS / "bin/python", "-c", reader, *files], check=True)


def read_contract():
    """Is the contract OpenAPI 3.1, and does each example obey the schema it stands in?"""
    subprocess.run([TOOLS / "bin/openapi-spec-validator", ROOT / "openapi.yaml"], check=True)
    reader = """
import sys, yaml, jsonschema
contract = yaml.safe_load(open(sys.argv[1]))
count = 0
for name, schema in contract["components"]["schemas"].items():
    rule = {"$ref": "#/components/schemas/" + name, "components": contract["components"]}
    for example in schema.get("examples", []):
        jsonschema.Draft202012Validator(rule).validate(example)
        count += 1
assert count >= 7, count
"""
    subprocess.run([TOOLS / "bin/python", "-c", reader, ROOT / "openapi.yaml"], check=True)


def start(*arguments, **environment):
    """A process of the program, and where it listens."""
    process = subprocess.Popen(
        [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, **environment})
    line = process.stdout.readline()
    assert line.startswith("Listening on "), line
    return process, line.removeprefix("Listening on ").strip()


def ask(url, token=None, form=None, body=None):
    """POSTs a form or JSON, or gets; returns the JSON that is answered."""
    data = None
    if form is not None:
        data = urllib.parse.urlencode(form).encode()
    elif body is not None:
        data = json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(
            urllib.request.Request(url, data, headers), timeout=30) as answer:
        return json.load(answer)


def until(found, what):
    deadline = time.monotonic() + 60
    while not found():
        if time.monotonic() > deadline:
            sys.exit(f"never: {what}")
        time.sleep(0.05)


def seed(url, token, beeminder):
    """Goals that are known, and presses that Beeminder has refused and goes on refusing."""
    until(lambda: ask(url + "/goals", token)["known"], "the goals")
    ask(beeminder + "/control/faults", form={
        "mood": "status", "status": "422", "goal": "reading", "method": "POST"})
    events = [{"goal": "reading", "id": f"refused-{number + 1}"} for number in range(REFUSED)]
    ask(url + "/events", token, body=events)
    until(lambda: ask(url + "/context", token)["refused"] >= REFUSED, "refused")


def met(tallies):
    """Whether every operation of SUCCESSES has succeeded often enough."""
    count = dict.fromkeys(SUCCESSES, 0)
    for path in tallies:
        for label, statuses in json.loads(path.read_text()).items():
            if label in count:
                count[label] += statuses.get("200", 0)
    for label, wanted in SUCCESSES.items():
        if count[label] < wanted:
            print(f"{label} succeeded {count[label]} times, less than {wanted}", file=sys.stderr)
    return all(count[label] >= wanted for label, wanted in SUCCESSES.items())


def check(url, token, tally, *more):
    """One run of schemathesis. Returns whether all held."""
    command = [
        TOOLS / "bin/st", "--config-file", ROOT / "Tests/Contract/schemathesis.toml", "run",
        ROOT / "openapi.yaml", "--url", url, "--header", f"Authorization: Bearer {token}",
        "--max-examples", os.environ.get("EXAMPLES", "50"), "--continue-on-failure", *more]
    seed = os.environ.get("SEED", "2336")
    if seed != "random":
        command += ["--seed", seed]
    environment = {
        **os.environ, "SCHEMATHESIS_HOOKS": "hooks", "RELAY": url, "TOKEN": token,
        "TALLY": str(tally), "REFUSED": str(REFUSED), "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT / "Tests/Contract")}
    return subprocess.run(command, cwd=TOOLS, env=environment).returncode == 0


@contextlib.contextmanager
def pair(*options):
    """A relay with its Beeminder, both new. Yields the relay's URL, its owner's token, Beeminder's
    URL, the data folder; the relay must end in good order."""
    running = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            simulator, beeminder = start("simulator", "--listen", "127.0.0.1:0")
            running.append(simulator)
            relay, url = start(
                "serve", "--listen", "127.0.0.1:0", "--data", folder, "--rate-limit", "off",
                "--beeminder-url", beeminder + "/api/v1/", *options,
                BEEMINDER_AUTH_TOKEN="simulated-token")
            running.append(relay)
            yield url, pathlib.Path(folder, "owner-token").read_text().strip(), beeminder, folder
            relay.terminate()
            code = relay.wait(timeout=30)
            if code != 0:
                sys.exit(f"the relay ended with {code}")
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()


def run_clients():
    """What other people wrote, and what is generated of the contract."""
    python = CLIENTS / "bin/python"
    options = ["--host-name", "relay.example.com", "--trusted-proxy", "127.0.0.1"]
    with pair(*options) as (url, token, beeminder, data), \
            tempfile.TemporaryDirectory() as folder:
        here = ROOT / "Tests/Contract"
        subprocess.run([python, here / "clients.py", beeminder + "/api/v1"], check=True)
        subprocess.run(
            [CLIENTS / "bin/openapi-python-client", "generate", "--path", ROOT / "openapi.yaml",
             "--output-path", pathlib.Path(folder, "relay_client"), "--meta", "none"],
            check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "PATH": f"{CLIENTS}/bin:{os.environ['PATH']}"})
        subprocess.run(
            [python, here / "generated.py", url, token, beeminder], check=True,
            env={**os.environ, "PYTHONPATH": folder})
        subprocess.run([python, here / "homeassistant.py", url, token], check=True)
        recipes.check_proxies(url.removeprefix("http://"), token)
        operations.check(PROGRAM, url, token, data)


def run_contract():
    """schemathesis, twice. Returns whether all held."""
    with pair() as (url, token, beeminder, _), tempfile.TemporaryDirectory() as folder:
        seed(url, token, beeminder)
        tallies = [pathlib.Path(folder, name) for name in ["all", "account"]]
        held = check(
            url, token, tallies[0], "--exclude-path-regex", f"{ACCOUNT}|{STREAM}", *sys.argv[1:])
        # The account last: once it is a random one, nothing is delivered any more.
        held &= check(
            url, token, tallies[1], "--include-path-regex", ACCOUNT,
            "--phases=examples,coverage,fuzzing", *sys.argv[1:])
        return held & met(tallies)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # So that nothing is left running.
    for tool in ["g++", "openssl"]:
        if not shutil.which(tool):
            sys.exit(f"missing: {tool}")
    install(TOOLS, NEEDED)
    install(CLIENTS, CLIENTS_NEEDED)
    read_yaml()
    read_contract()
    recipes.check_arduino()
    recipes.check_esphome(CLIENTS / "bin/esphome")
    run_clients()
    sys.exit(0 if run_contract() else 1)


if __name__ == "__main__":
    main()
