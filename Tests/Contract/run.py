#!/usr/bin/env python3
"""Holds a live relay to openapi.yaml, with schemathesis, and reads the YAML among the recipes.

The release binary is started twice, as the relay and as the stand-in for Beeminder, on free ports of
the loopback address. schemathesis comes from PyPI, into .build/contract.
EXAMPLES=50 is how many requests for each operation. A run makes the same requests each time, so that
what is green stays green; SEED=42 makes others, SEED=random new ones. PROGRAM is another build.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PROGRAM", ROOT / ".build/release/beemed-relay")
TOOLS = ROOT / ".build/contract"
ACCOUNT = "^/(connection|oauth)"
# An answer without an end is more than it can judge; the tests read it over a socket.
STREAM = "^/context/stream"
NEEDED = ["schemathesis==4.32.5", "PyYAML==6.0.3", "openapi-spec-validator==0.9.0"]


def install():
    """The tools, unless they are there already."""
    mark = TOOLS / "installed"
    if mark.exists() and mark.read_text() == "\n".join(NEEDED):
        return
    subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
    subprocess.run([TOOLS / "bin/pip", "install", "--quiet", *NEEDED], check=True)
    mark.write_text("\n".join(NEEDED))


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


def check(url, token, *more):
    """One run of schemathesis. Returns whether all held."""
    command = [
        TOOLS / "bin/st", "--config-file", ROOT / "Tests/Contract/schemathesis.toml", "run",
        ROOT / "openapi.yaml", "--url", url, "--header", f"Authorization: Bearer {token}",
        "--max-examples", os.environ.get("EXAMPLES", "50"), "--continue-on-failure", *more]
    seed = os.environ.get("SEED", "2336")
    if seed != "random":
        command += ["--seed", seed]
    return subprocess.run(command, cwd=TOOLS).returncode == 0


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # So that nothing is left running.
    install()
    read_yaml()
    read_contract()
    running = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            simulator, beeminder = start("simulator", "--listen", "127.0.0.1:0")
            running.append(simulator)
            relay, url = start(
                "serve", "--listen", "127.0.0.1:0", "--data", folder, "--rate-limit", "off",
                "--beeminder-url", beeminder + "/api/v1/", BEEMINDER_AUTH_TOKEN="simulated-token")
            running.append(relay)
            token = pathlib.Path(folder, "owner-token").read_text().strip()
            held = check(url, token, "--exclude-path-regex", f"{ACCOUNT}|{STREAM}", *sys.argv[1:])
            # The account last: once it is a random one, nothing is delivered any more.
            held &= check(
                url, token, "--include-path-regex", ACCOUNT, "--phases=examples,coverage,fuzzing",
                *sys.argv[1:])
            relay.terminate()
            code = relay.wait(timeout=30)
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
    if code != 0:
        sys.exit(f"the relay ended with {code}")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
