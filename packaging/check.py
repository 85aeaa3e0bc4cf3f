#!/usr/bin/env python3
"""The files of packaging that nothing here can run, read as far as their formats go: keys, versions, ports
and names that must agree with the program. Wants Debian's python3-yaml, ruby and shellcheck.
"""
import pathlib
import re
import subprocess
import sys
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
    settings = (ROOT / "Sources/BeemedRelay/Settings/Setting.swift").read_text()
    for variable in re.findall(r"export (BEEMED_\w+)", script):
        assert f'variable: "{variable}"' in settings, f"{variable} is no setting"
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


def main():
    source = (ROOT / "Sources/BeemedRelay/Files/Version.swift").read_text()
    version = re.search(r'static let number = "(.*)"', source)[1]
    app(version)
    images()
    formula(version)
    service = xml.etree.ElementTree.parse(PACKAGING / "debian/avahi.service").getroot()
    assert service.find("service/type").text == "_beemed._tcp" and service.find("service/port").text == "2336"
    print("the files of packaging agree with the program")


if __name__ == "__main__":
    sys.exit(main())
