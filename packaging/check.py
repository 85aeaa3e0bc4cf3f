#!/usr/bin/env python3
"""The files of packaging that nothing here can run, read as far as their formats go: keys, versions, ports
and names that must agree with the program; and the scripts as far as they run without a forge. Wants Debian's
python3-yaml, ruby and shellcheck.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGING = ROOT / "packaging"
APP = PACKAGING / "home-assistant/beemed-relay"
# Keys of an app's config.yaml (developers.home-assistant.io, "App configuration") that are used here.
APP_KEYS = {"name", "version", "slug", "description", "arch", "init", "startup", "ports", "ports_description",
            "ingress", "ingress_port", "panel_icon", "panel_title", "timeout", "options", "schema"}
# Keys of a service (compose-spec) that are used here.
SERVICE_KEYS = {"build", "restart", "network_mode", "read_only", "tmpfs", "cap_drop", "security_opt",
                "stop_grace_period", "environment", "volumes"}
# Dockerfile instructions.
INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "ENV", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
                "ENTRYPOINT", "CMD"}


def app(version):
    """Home Assistant's app."""
    config = yaml.safe_load((APP / "config.yaml").read_text())
    assert set(config) == APP_KEYS, set(config) ^ APP_KEYS
    assert config["version"] == version, config["version"]
    assert re.fullmatch(r"[a-z0-9_]+", config["slug"]) and set(config["arch"]) <= {"aarch64", "amd64"}
    assert f"{config['ingress_port']}/tcp" in config["ports"], "ingress and devices use one port"
    assert set(config["ports"]) == set(config["ports_description"])
    assert set(config["options"]) <= set(config["schema"])
    script = (APP / "run.sh").read_text()
    for option in config["schema"]:
        assert f".{option}" in script, f"run.sh does not read {option}"
    settings = (ROOT / "Sources/BeemedRelay/Trunk/Settings/Setting.swift").read_text()
    for variable in re.findall(r"export (BEEMED_\w+)", script):
        name = variable.removeprefix("BEEMED_").lower().replace("_", "-")
        assert f'"{name}"' in settings, f"{variable} is no setting"
    assert f"--listen 0.0.0.0:{config['ingress_port']}" in script and "--ingress-proxy 172.30.32.2" in script
    subprocess.run(["shellcheck", APP / "run.sh"], check=True)
    repository = yaml.safe_load((APP.parent / "repository.yaml").read_text())
    assert repository["name"]


def images():
    """Both Dockerfiles and the compose file."""
    for path in (PACKAGING / "Dockerfile", APP / "Dockerfile"):
        text = path.read_text().replace("\\\n", " ")
        names = [line.split()[0] for line in text.splitlines() if line.strip() and not line.startswith("#")]
        assert set(names) <= INSTRUCTIONS and names[0] == "FROM" and names.count("CMD") == 1, names
        assert "rm -rf /var/lib/apt/lists" in text and "--no-install-recommends" in text, path
        assert "status\", \"--ready" in text and re.search(r"^FROM \S+:\S+", text, re.M), path
    compose = yaml.safe_load((PACKAGING / "compose.yaml").read_text())
    assert set(compose) == {"services", "volumes"}, compose
    service = compose["services"]["relay"]
    assert set(service) == SERVICE_KEYS, set(service) ^ SERVICE_KEYS
    context = (PACKAGING / service["build"]["context"]).resolve()
    assert context == ROOT and (context / service["build"]["dockerfile"]).exists()
    assert service["volumes"][0].split(":")[0] in compose["volumes"]


def formula(version):
    """Homebrew's formula."""
    path = PACKAGING / "homebrew/beemed-relay.rb"
    subprocess.run(["ruby", "-c", path], check=True, stdout=subprocess.DEVNULL)
    assert f"beemed-relay-{version}.tar.gz" in path.read_text()


def workflows():
    """Steps are scripts of the repository, and actions of others are pinned to a commit."""
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {"contents": "read"}, f"{path}: each job names what more it may do"
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                if "uses" in step:
                    assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"]), step
                else:
                    script = ROOT / step["run"].split()[0]
                    assert script.is_file() and os.access(script, os.X_OK), step
                    assert len(step["run"].splitlines()) == 1 and "${{" not in step["run"], step


def scripts():
    """The shell scripts, by shellcheck; and each completion file is installed by both packages."""
    subprocess.run(["shellcheck", "-x", *sorted(PACKAGING.glob("*.sh"))], cwd=ROOT, check=True)
    subprocess.run(["shellcheck", "-s", "bash", PACKAGING / "completions/beemed-relay.bash"], check=True)
    for package in ["deb.sh", "homebrew/beemed-relay.rb"]:
        text = (PACKAGING / package).read_text()
        for name in [path.name for path in (PACKAGING / "completions").iterdir()] + ["manual-page.sh"]:
            assert f"/{name}" in text, f"{package} does not install {name}"


def missing_tools():
    """A script that lacks tools names each of them with its Debian package."""
    with tempfile.TemporaryDirectory() as folder:
        for tool in ["bash", "env", "dirname", "sed", "tr", "sort", "xargs", "printf", "id"]:
            os.symlink(shutil.which(tool), f"{folder}/{tool}")
        for script, tools in {
                "deb.sh": {"dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev", "xz": "xz-utils"},
                "try-deb.sh": {"debootstrap": "debootstrap"}, "units.sh": {"systemd-analyze": "systemd"},
                "release.sh": {"swift": "swift.org/install"}, "image.sh amd64": {"docker": "docker.io"}}.items():
            name, *arguments = script.split()
            ran = subprocess.run([PACKAGING / name, *arguments], env={"PATH": folder}, text=True,
                                 capture_output=True)
            assert ran.returncode == 1, (script, ran)
            for tool, package in tools.items():
                line = next((line for line in ran.stderr.splitlines() if line.startswith(f"missing: {tool}")), "")
                assert package in line, (script, tool, ran.stderr)


def release(version):
    """The steps of a release that need no forge: the notes, the files, the names of images and of the app."""
    forge = {"GITHUB_SERVER_URL": "https://forge.example", "GITHUB_REPOSITORY": "Some-One/relay",
             "GITHUB_REF_NAME": f"v{version}", "DRY_RUN": "1"}
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        subprocess.run(["git", "clone", "--quiet", ROOT, copy], check=True)
        shutil.copytree(PACKAGING, copy / "packaging", dirs_exist_ok=True)
        changes = (ROOT / "CHANGELOG.md").read_text()
        dated = changes.replace(f"## {version}, not released yet", f"## {version} (2026-12-01)", 1)
        run = lambda *words, **more: subprocess.run(  # noqa: E731
            words, cwd=copy, env={**os.environ, **forge, **more}, text=True, capture_output=True)
        (copy / "CHANGELOG.md").write_text(f"## {version}, not released yet\n\n- A thing.\n")
        refused = run("packaging/notes.sh")
        assert refused.returncode == 1 and "has no section" in refused.stderr, refused
        (copy / "CHANGELOG.md").write_text(dated)
        assert run("packaging/notes.sh", GITHUB_REF_NAME="v9.9.9").returncode == 1
        notes = run("packaging/notes.sh").stdout
        assert notes.strip() and "\n## " not in notes, notes
        for machine in ["amd64", "arm64"]:
            artifact = copy / f".build/artifacts/linux-{machine}"
            artifact.mkdir(parents=True)
            (artifact / f"beemed-relay_{version}_{machine}.deb").write_text(machine)
            (artifact / "beemed-relay").write_text("not published alone")
        assert run("packaging/assets.sh").returncode == 0
        made = copy / ".build/release-assets"
        names = {path.name for path in made.iterdir()}
        assert names == {f"beemed-relay_{version}_amd64.deb", f"beemed-relay_{version}_arm64.deb",
                         f"beemed-relay-{version}.tar.gz", "beemed-relay.rb", "SHA256SUMS"}, names
        sums = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=made)
        assert sums.returncode == 0
        formula = (made / "beemed-relay.rb").read_text()
        subprocess.run(["ruby", "-c", made / "beemed-relay.rb"], check=True, stdout=subprocess.DEVNULL)
        place = f'"https://forge.example/Some-One/relay/releases/download/v{version}/beemed-relay-{version}.tar.gz"'
        assert place in formula and "0" * 64 not in formula, formula
        assert re.search(r'sha256 "([0-9a-f]+)"', formula)[1] in (made / "SHA256SUMS").read_text()
        (copy / ".build/dist").mkdir()
        (copy / ".build/dist/beemed-relay").write_text("")
        pushed = run("packaging/image.sh", "arm64").stdout
        assert f"ghcr.io/some-one/relay:{version}-arm64" in pushed, pushed
        assert f"ghcr.io/some-one/relay-home-assistant:{version}-arm64" in pushed, pushed
        published = run("packaging/publish.sh")
        assert published.returncode == 0, published
        assert f"gh release create v{version}" in published.stdout, published
        assert f"imagetools create --tag ghcr.io/some-one/relay:{version}" in published.stdout, published
        assert run("packaging/home-assistant.sh", f"{folder}/app").returncode == 0
        config = yaml.safe_load(pathlib.Path(f"{folder}/app/beemed-relay/config.yaml").read_text())
        assert config["image"] == "ghcr.io/some-one/relay-home-assistant" and config["version"] == version


def main():
    source = (ROOT / "Sources/BeemedRelay/Trunk/Files/Version.swift").read_text()
    version = re.search(r'static let number = "(.*)"', source)[1]
    app(version)
    images()
    formula(version)
    workflows()
    scripts()
    missing_tools()
    release(version)
    avahi = ROOT / "Sources/BeemedRelay/CEmbedded/service/avahi.service"
    service = xml.etree.ElementTree.parse(avahi).getroot()
    assert service.find("service/type").text == "_beemed._tcp" and service.find("service/port").text == "2336"
    print("the files of packaging agree with the program")


if __name__ == "__main__":
    sys.exit(main())
