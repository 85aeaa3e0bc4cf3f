#!/usr/bin/env python3
"""Takes each leaf off the trunk in a scratch copy, and shows that the rest does not need it: its line
in Program/Leaves.swift goes, its name in Package.swift, its folder and the folder of its tests.

    Tests/leaves.py                the product builds without each leaf
    Tests/leaves.py Page Transfer  the same without these alone
    Tests/leaves.py --tests        the rest of the tests builds and passes, too (ten minutes a leaf)

Tests of the whole product stay out of that, and of other things the files that need a leaf as a tool,
as a command that shows what a relay has: they are named here.
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build-leaves"
LIST = "Sources/BeemedRelay/Program/Leaves.swift"
# The tests of the whole, and of what all leaves share.
WHOLE = ["House", "Promises", "Recipes", "Access/ShareTests.swift", "Commands/CompletionTests.swift",
         "Commands/CommandLineTests.swift", "Commands/RefusalWordsTests.swift",
         "Relay/EventRouteTests.swift", "Relay/RequestSecretTests.swift"]
# The tests of other things that need a leaf as a tool.
TOOL_OF = {
    "Cluster": ["Program/SettingsTests.swift"],
    "Commands": [
        "Access/DeviceSharingTests.swift", "Access/RevocationTests.swift",
        "Access/SecretsTests.swift", "Beeminder/VerificationTests.swift",
        "Cluster/JournalCopyTests.swift", "Health/UnreadableFileTests.swift",
        "Press/SamePressTests.swift", "Program", "Relay/TwoRelaysTests.swift",
        "Transfer/ImportCrashTests.swift", "Transfer/TransferCommandTests.swift"],
    "Health": [
        "Access/AdmissionTests.swift", "Beeminder/FolderUserRouteTests.swift",
        "Cluster/ClusterFilesTests.swift", "Commands/FaultyEntryTests.swift",
        "Commands/FolderDamageTests.swift", "Commands/ListCommandTests.swift"],
    "Page": [
        "Access/IngressTests.swift", "Access/IntrusionTests.swift", "Access/SignInTests.swift",
        "Commands/DoctorTests.swift", "Relay/RelayTests.swift", "Relay/RouteTableTests.swift"],
    "Reminders": [
        "Access/ImmediateRevocationTests.swift", "Access/RequestCostTests.swift",
        "Beeminder/FolderUserRouteTests.swift", "Commands/FaultyEntryTests.swift",
        "Commands/FolderDamageTests.swift", "Commands/ListCommandTests.swift",
        "Program/SettingsTests.swift"],
    "Transfer": [
        "Access/AdmissionTests.swift", "Beeminder/FolderUserRouteTests.swift",
        "Cluster/ForwardingLimitTests.swift", "Cluster/ForwardingTests.swift",
        "Health/HealthRouteTests.swift", "Health/OverlapTests.swift",
        "Health/RuleDayTests.swift", "Health/UnreadTests.swift"],
}


def leaves():
    text = (ROOT / "Package.swift").read_text()
    return re.findall(r'^    "(\w+)",$', text.split("let leafFolders = [")[1].split("]")[0], re.M)


def take_off(copy, name):
    """Removes a leaf from a copy of the sources."""
    package = copy / "Package.swift"
    package.write_text(package.read_text().replace(f'    "{name}",\n', "", 1))
    program = copy / LIST
    text = program.read_text()
    kept = [line for line in text.splitlines()
            if line not in (f"import Relay{name}", f"        .{name[0].lower()}{name[1:]},")]
    if len(kept) + 2 > len(text.splitlines()):
        sys.exit(f"{LIST} has no line of {name}")
    program.write_text("\n".join(kept) + "\n")
    shutil.rmtree(copy / "Sources/BeemedRelay" / name)
    for part in [name] + WHOLE + TOOL_OF.get(name, []):
        place = copy / "Tests/RelayTests" / part
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)


def check(name, with_tests):
    print(f"== without {name}", flush=True)
    copy = SCRATCH / "sources"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for part in ("Sources", "Tests", "Package.swift", "openapi.yaml", "README.md", "docs",
                 "recipes", "CHANGELOG.md", "ARCHITECTURE.md", "packaging"):
        source = ROOT / part
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / part)
    take_off(copy, name)
    options = ["--package-path", copy, "--scratch-path", SCRATCH / "build"]
    command = ["test"] if with_tests else ["build", "--product", "beemed-relay"]
    done = subprocess.run(["swift", command[0], *options, *command[1:]])
    return done.returncode == 0


def main():
    names = [word for word in sys.argv[1:] if not word.startswith("-")] or leaves()
    for name in names:
        if name not in leaves():
            sys.exit(f"there is no leaf {name}; there are {', '.join(leaves())}")
    failed = [name for name in names if not check(name, "--tests" in sys.argv)]
    if failed:
        sys.exit(f"the rest needs {', '.join(failed)}")
    print(f"the rest does without {', '.join(names)}")


if __name__ == "__main__":
    main()
