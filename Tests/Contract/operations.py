"""What other programs say of what the relay makes for them: Prometheus of its metrics and rules,
mandoc of its manual page, shells of its completions, zbar of its QR codes."""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def check_metrics(url, token):
    """promtool, of a scrape, of the alert rules, and of when they fire."""
    request = urllib.request.Request(
        url + "/metrics", headers={"Authorization": f"Bearer {token}"})
    text = urllib.request.urlopen(request, timeout=30).read()
    for name in [
            "beemed_presses_accepted_total", "beemed_presses_duplicate_total",
            "beemed_refused_total", "beemed_goal_queue_length", "beemed_oldest_pending_seconds",
            "beemed_journal_sync_seconds_bucket", "beemed_deliveries_total",
            "beemed_requests_total"]:
        assert name.encode() in text, name
    run("promtool", "check", "metrics", input=text)
    run("promtool", "check", "rules", ROOT / "recipes/monitoring/alerts.yml")
    run("promtool", "test", "rules", ROOT / "Tests/Contract/alerts.yml")


def commands(program):
    """Each command that the help names, with its long options."""
    names = re.findall(r"^  ([a-z][a-z -]*[a-z])  ", run(program, "help").decode(), re.M)
    return {name: re.findall(r"^  (?:-[a-z], )?(--[a-z-]+)", run(program, "help", *name.split()).decode(), re.M)
            for name in names}


def check_shells(program):
    """The manual page without a complaint, and completions that each shell can read. Page and bash know every
    command with its options."""
    files = ROOT / "packaging/completions"
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "beemed-relay.1")
        page.write_bytes(run(ROOT / "packaging/manual-page.sh", program))
        run("mandoc", "-T", "lint", "-W", "warning", page)
        sections = page.read_text().replace("\\-", "-").split("\n.SS beemed-relay ")
    for shell, name in {"bash": "beemed-relay.bash", "zsh": "_beemed-relay", "fish": "beemed-relay.fish"}.items():
        run(shell, "-n", files / name)

    def offered(*words):
        line = "COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)); _beemed_relay; printf '%s\\n' \"${COMPREPLY[@]}\""
        return run("bash", "-c", f". {files}/beemed-relay.bash; {line}", "bash", program, *words).decode().split()

    known = commands(program)
    assert len(known) > 40, known
    for name, options in known.items():
        section = next(text for text in sections if text.startswith(f"{name} ") or text.startswith(f"{name}\n"))
        assert all(option in section for option in options), (name, section)
        assert name == "help" or set(offered(*name.split(), "--")) == set(options), name
        assert name.split()[-1] in offered(*name.split()[:-1], ""), name
    assert offered("device", "r") == ["rotate", "remove"]
    assert offered("serve", "--log-level", "w") == ["warning"]


def check_codes(program, data):
    """The QR code of a sign-in link, as a terminal shows it, read by zbar."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [program, "owner-link", "--data", data], stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    assert process.wait() == 0
    lines = text.decode().replace("\r", "").strip("\n").split("\n")
    link, code = lines[0], lines[1:]
    rows = []
    for line in code:
        rows.append([mark in "█▀" for mark in line])
        rows.append([mark in "█▄" for mark in line])
    size, scale = len(rows[0]), 4
    picture = f"P5 {size * scale} {len(rows) * scale} 255\n".encode()
    for row in rows:
        picture += b"".join(bytes([255 if light else 0]) * scale for light in row) * scale
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "code.pgm")
        file.write_bytes(picture)
        read = run("zbarimg", "--quiet", "--raw", file).decode().strip()
    assert read == link, (read, link)


def check(program, url, token, data):
    for tool in ["promtool", "mandoc", "bash", "zsh", "fish", "zbarimg"]:
        assert shutil.which(tool), f"missing: {tool}"
    check_metrics(url, token)
    check_shells(program)
    check_codes(program, data)
