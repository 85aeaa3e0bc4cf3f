# The targets that a contributor and CI run. `swift test` alone needs nothing but the toolchain.

.PHONY: check lint build test leaves program release deb try-deb try-images check-packaging workflows manual page units figures trace strangers soak install sanitize fuzz faults \
	simulate mutations contract browser screenshots cluster

check: lint build test

lint:
	swift format lint --strict --recursive Package.swift Sources Tests
	Tests/mutations.py --check
	Tests/house.py --check
	docs/manual.py --check
	packaging/page.py --check

# The manual that the relay serves at /docs, made anew from the pages of docs/.
manual:
	docs/manual.py

# The files sent of the page, made anew from the files of Sources/BeemedRelay/CEmbedded/page.
page:
	packaging/page.py

build:
	swift build --build-tests

test:
	swift test

# Takes each leaf off the trunk in a copy, and builds the rest (about four minutes a leaf; not in CI).
# `make leaves LEAVES="--tests Page"` runs the rest of the tests, too.
LEAVES ?=
leaves:
	Tests/leaves.py $(LEAVES)

# The optimised build, which the checks below run; with PROGRAM=/path they run that one.
program:
	$(if $(PROGRAM),test -x $(PROGRAM),swift build --configuration release)

# One binary with the Swift runtime in it, stripped, and its SHA-256, in .build/dist.
release:
	packaging/release.sh

# The Debian package of that binary, held to Debian's rules where lintian is at hand.
deb: release
	packaging/deb.sh
	if command -v lintian >/dev/null; then \
		lintian --allow-root --fail-on error,warning .build/dist/beemed-relay_*.deb; fi

# The package in a Debian of its own: installed, started, pressed, upgraded, purged (root, debootstrap).
try-deb: deb
	packaging/try-deb.sh

# The images of the Dockerfiles, without Docker: their last stages in a Debian of their own (root, debootstrap).
try-images: release
	packaging/try-images.py

# The files for Docker, Home Assistant, Homebrew, Avahi and the forge agree with the program, and the
# scripts of a release run (python3-yaml, ruby, shellcheck).
check-packaging:
	packaging/check.py

# The workflows and issue forms of the forge, by the tools that know them (PyPI).
workflows:
	packaging/workflows.sh

# systemd's own view of the units that 'service install' makes.
units: release
	packaging/units.sh

# Size, start, idle memory and idle system calls of that binary, each within its bound (Linux, strace).
figures: release
	Benchmarks/figures.py

# The cost of a stranger's request, by the kind of its head or body: at most five times a wrong short
# token (Linux, valgrind).
strangers: release
	PROGRAM=.build/dist/beemed-relay Benchmarks/strangers.py

# The functions, files and lines that one press runs through until its 200 (Linux, valgrind).
trace: program
	Benchmarks/trace.py

# Hours condensed: devices, restarts, outages, retirements; nothing lost, nothing grows. MINUTES=10.
MINUTES ?= 10
soak: program
	python3 Tests/Soak/run.py $(MINUTES)

# Races, in everything that runs in one process.
sanitize:
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/thread-sanitizer.supp" \
		swift test --no-parallel --sanitize=thread --scratch-path .build-thread

# Lives of the whole domain from seeds, SEEDS of them from FIRST on; `make simulate SEED=42`
# replays one.
SEEDS ?= 10000
FIRST ?= 0
SIMULATION := --configuration release --scratch-path .build-simulation
simulate:
	swift build $(SIMULATION) --build-tests -Xswiftc -enable-testing
	THOROUGH=1 LIVES=$(SEEDS) SEEDS=$(SEEDS) FIRST=$(FIRST) SEED_FILE=$(CURDIR)/.build-simulation/seed \
		swift test $(SIMULATION) --skip-build \
		--filter "SimulationTests|CrashTests|HistoryTests|RingLivesTests" \
		|| { echo "the last seed was $$(cat .build-simulation/seed)"; exit 1; }

# The release binary held to openapi.yaml, by requests made of it and by other people's clients; the
# recipes that need a tool of their maker (three minutes; PyPI, and what .ci/run installs).
contract: program
	python3 Tests/Contract/run.py

# The web page in Chromium, at the release binary (two minutes; what .ci/run installs, and PyPI).
# `make browser CASES="press undo"` runs those alone.
CASES ?=
browser: program
	python3 Tests/Browser/run.py $(CASES)

# The pictures in docs/images, made anew.
screenshots: program
	python3 Tests/Browser/screenshots.py

# Takes each safeguard of custody away and sees a test go red (ten minutes).
mutations:
	Tests/mutations.py

# How long `make fuzz` runs, in seconds, and which target of Fuzz/Fuzz.swift (all if empty).
FUZZ_SECONDS ?= 600
FUZZ_TARGET ?=
FUZZ_DIR := .build/fuzz
FUZZ_FLAGS := -O -g -swift-version 6 -enable-testing -sanitize=fuzzer -parse-as-library \
	-package-name beemed_relay -enable-upcoming-feature ExistentialAny \
	-enable-upcoming-feature InternalImportsByDefault \
	-Xcc -fmodule-map-file=Sources/RelayHTTP/CEpoll/module.modulemap -I $(FUZZ_DIR)

# libFuzzer over everything that reads bytes of strangers (Linux).
fuzz: $(FUZZ_DIR)/fuzz
	mkdir -p $(FUZZ_DIR)/seeds $(FUZZ_DIR)/corpus
	FUZZ_SEEDS=$(FUZZ_DIR)/seeds $(FUZZ_DIR)/fuzz -runs=0 >/dev/null 2>&1
	$(if $(FUZZ_TARGET),FUZZ_TARGET=$(FUZZ_TARGET)) $(FUZZ_DIR)/fuzz -max_total_time=$(FUZZ_SECONDS) \
		-dict=Fuzz/http.dict -max_len=2048 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
		-artifact_prefix=$(FUZZ_DIR)/ $(FUZZ_DIR)/corpus $(FUZZ_DIR)/seeds

FUZZ_ORACLE := $(addprefix Tests/RelayTests/Wire/,Oracle.swift Reading.swift SpecCase.swift)

FUZZ_HTTP := $(filter-out %/Libc.swift,$(wildcard Sources/RelayHTTP/*/*.swift))

$(FUZZ_DIR)/fuzz: $(wildcard Fuzz/*.swift) $(FUZZ_HTTP) $(FUZZ_ORACLE)
	mkdir -p $(FUZZ_DIR)
	swiftc $(FUZZ_FLAGS) -module-name Libc -emit-module -emit-module-path $(FUZZ_DIR)/Libc.swiftmodule \
		Sources/RelayHTTP/Libc/Libc.swift
	swiftc $(FUZZ_FLAGS) -module-name RelayHTTP -wmo -emit-module \
		-emit-module-path $(FUZZ_DIR)/RelayHTTP.swiftmodule -c $(FUZZ_HTTP) -o $(FUZZ_DIR)/RelayHTTP.o
	swiftc $(FUZZ_FLAGS) -module-name Fuzz $(wildcard Fuzz/*.swift) $(FUZZ_ORACLE) \
		$(FUZZ_DIR)/RelayHTTP.o -o $@

# Breaks everything around the release binary: killed, starved, lied to, unplugged. Wants root and
# Linux; says what it had to skip. FULL=1 for the full counts.
faults: program
	python3 Tests/Faults/run.py

# Three members of etcd and three relays in network namespaces, and faults of ten kinds (root, Linux,
# etcd-server, etcd-client, iproute2, faketime). FAULTS=200 takes an hour.
FAULTS ?= 10
cluster: program
	python3 Tests/Cluster/run.py --faults $(FAULTS)
