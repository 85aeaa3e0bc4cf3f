# What a contributor and CI run. `swift test` alone needs nothing but the toolchain.

.PHONY: check lint build test release sanitize

check: lint build test

lint:
	swift format lint --strict --recursive Package.swift Sources Tests

build:
	swift build --build-tests

test:
	swift test

release:
	swift build --configuration release

# Races, in everything that runs in one process.
sanitize:
	swift test --sanitize=thread --scratch-path .build-thread
