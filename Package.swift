// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target, here and not in CI, so that everyone meets the same errors.
///
/// A release checks no exclusive access at run time: those checks take a twelfth of a press. Debug
/// builds, and so all tests, have them.
let rules: [SwiftSetting] = [
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),  // SE-0458: the word `unsafe` marks exactly the system calls.
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .treatAllWarnings(as: .error),  // SE-0443
]

/// epoll and eventfd, which the Glibc module leaves out: a module map and one header.
let epoll = Target.systemLibrary(name: "CEpoll", path: "Sources/RelayHTTP/CEpoll")

/// The web page's files, each of which is part of the program.
let page = [
    "account.js",
    "api.js",
    "app.css",
    "base.css",
    "devices.js",
    "dom.js",
    "events.js",
    "goalcard.js",
    "goals.js",
    "health.js",
    "icon-192.png",
    "icon.svg",
    "index.html",
    "main.js",
    "manifest.webmanifest",
    "parts.js",
    "pins.js",
    "presets.js",
    "pressdialog.js",
    "presses.js",
    "reminders.js",
    "settings.js",
    "start.js",
    "status.js",
    "store.js",
    "texts.js",
    "time.js",
    "toast.js",
    "upkeep.js",
    "worker.js",
].map { Resource.embedInCode("Page/\($0)") }

/// What the manual serves below `/docs/recipes/`: links to `recipes/`, where there is one of each.
let recipes = [
    "Caddyfile",
    "esp32-arduino.ino",
    "esphome.yaml",
    "flic.js",
    "haproxy.cfg",
    "hc-webhook.md",
    "health-auto-export.md",
    "home-assistant.yaml",
    "micropython.py",
    "mystrom.md",
    "nginx.conf",
    "node-red.json",
    "ntfy.md",
    "press.sh",
    "shelly-gen1.md",
    "shelly-gen2.js",
    "shortcuts.md",
    "stream-deck.md",
    "tailscale.md",
    "tasker.md",
    "tasmota.be",
].map { Resource.embedInCode("Manual/Recipes/\($0)") }

/// The domain is optimized in debug builds, too: its tests live whole lives by the hundred, in a
/// third of the time. Preconditions and overflow checks stay, and it has no `assert`.
let optimized = SwiftSetting.unsafeFlags(["-O"], .when(configuration: .debug))

/// libcurl's functions without a fixed number of arguments: a module map and one header.
let curl = Target.systemLibrary(name: "CCurl", path: "Sources/BeemedRelay/CCurl")

/// What the kernel knows of its clock: a module map and one header.
let timex = Target.systemLibrary(name: "CTimex", path: "Sources/BeemedRelay/CTimex")

/// What the loader tells of the program and its libraries: a module map and one header.
let loader = Target.systemLibrary(name: "CLoader", path: "Sources/BeemedRelay/CLoader")

/// The processor's instruction for checksums: a module map and one header.
let checksum = Target.systemLibrary(name: "CChecksum", path: "Sources/BeemedDomain/CChecksum")

/// Which file it is and how long, by a Linux system call: a module map and one header.
let fileStatus = Target.systemLibrary(
    name: "CFileStatus", path: "Sources/BeemedDomain/CFileStatus")

let package = Package(
    name: "beemed-relay",
    platforms: [.macOS("26.0")],
    products: [.executable(name: "beemed-relay", targets: ["BeemedRelay"])],
    targets: [
        epoll, curl, timex, loader, checksum, fileStatus,
        .target(
            name: "RelayHTTP",
            dependencies: [.target(name: "CEpoll", condition: .when(platforms: [.linux]))],
            exclude: ["CEpoll"],
            swiftSettings: rules),
        .target(
            name: "BeemedDomain",
            dependencies: [
                "CChecksum", .target(name: "CFileStatus", condition: .when(platforms: [.linux])),
            ],
            exclude: ["CChecksum", "CFileStatus"],
            swiftSettings: rules + [optimized]),
        // The test server for Beeminder shares nothing with the relay but the HTTP server.
        .target(
            name: "BeeminderSimulator", dependencies: ["RelayHTTP"],
            path: "Sources/BeemedRelay/Simulator", swiftSettings: rules),
        .executableTarget(
            name: "BeemedRelay",
            dependencies: [
                "RelayHTTP", "BeemedDomain", "BeeminderSimulator",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CTimex", condition: .when(platforms: [.linux])),
                .target(name: "CLoader", condition: .when(platforms: [.linux])),
            ],
            exclude: ["CCurl", "CLoader", "CTimex", "Simulator"],
            resources: [
                // A link to the contract at the top: there is one of it.
                .embedInCode("Manual/openapi.yaml"),
                .embedInCode("Manual/manual.html"), .embedInCode("Manual/manual.css"),
                .embedInCode("Manual/manual.js"),
            ] + page + recipes,
            swiftSettings: rules),
        .testTarget(
            name: "RelayTests",
            dependencies: ["RelayHTTP", "BeemedRelay", "BeeminderSimulator", "BeemedDomain"],
            exclude: [
                "Spec", "Golden", "Recipes/device.js", "Recipes/flow.js", "Recipes/tasmota.py",
            ],
            swiftSettings: rules),
        .testTarget(name: "DomainTests", dependencies: ["BeemedDomain"], swiftSettings: rules),
    ]
)
