// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target, here and not in CI, so that everyone meets the same errors.
let rules: [SwiftSetting] = [
    // The index of Swift's own modules takes as long as all else of a module's first build, each of
    // the compiler's processes reads all modules and files anew (few with many files), and LLVM's
    // check of what the compiler gives it is for those who work on the compiler.
    .unsafeFlags(
        [
            "-index-ignore-system-modules", "-driver-batch-size-limit", "100",
            "-Xfrontend", "-disable-llvm-verify",
        ],
        .when(configuration: .debug)),
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),  // SE-0458: the word `unsafe` marks exactly the system calls.
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .treatAllWarnings(as: .error),  // SE-0443
]

/// The same for the program. On Linux its Foundation is the part of it without ICU, which would be
/// half of the program and of its memory.
let programRules =
    rules + [
        .unsafeFlags(
            ["-module-alias", "Foundation=FoundationEssentials"], .when(platforms: [.linux]))
    ]

/// The C library under one name.
let libc = Target.target(name: "Libc", path: "Sources/RelayHTTP/Libc", swiftSettings: rules)

/// epoll and eventfd, which the Glibc module leaves out: a module map and one header.
let epoll = Target.systemLibrary(name: "CEpoll", path: "Sources/RelayHTTP/CEpoll")

/// libcurl's functions without a fixed number of arguments: a module map and one header.
let curl = Target.systemLibrary(name: "CCurl", path: "Sources/BeemedRelay/CCurl")

/// What the kernel knows of its clock: a module map and one header.
let timex = Target.systemLibrary(name: "CTimex", path: "Sources/BeemedRelay/CTimex")

/// Where the linker has put the program's code: a module map and one header.
let loader = Target.systemLibrary(name: "CLoader", path: "Sources/BeemedRelay/CLoader")

/// The processor's instruction for checksums: a module map and one header.
let checksum = Target.systemLibrary(name: "CChecksum", path: "Sources/BeemedDomain/CChecksum")

/// Which file it is and how long, by a Linux system call: a module map and one header.
let fileStatus = Target.systemLibrary(
    name: "CFileStatus", path: "Sources/BeemedDomain/CFileStatus")

/// What stands on the trunk, a library each with a folder of its own: `Program/Leaves.swift` puts
/// them on, and `make leaves` takes them off in turn.
let leafFolders = [
    "Cluster",
    "Commands",
    "Health",
    "Page",
    "Reminders",
    "Transfer",
]
let leaves = leafFolders.map { folder in
    Target.target(
        name: "Relay\(folder)", dependencies: ["Libc", "RelayHTTP", "BeemedDomain", "RelayTrunk"],
        path: "Sources/BeemedRelay/\(folder)", swiftSettings: programRules)
}

let package = Package(
    name: "beemed-relay",
    platforms: [.macOS("26.0")],
    products: [.executable(name: "beemed-relay", targets: ["BeemedRelay"])],
    targets: [
        libc, epoll, curl, timex, loader, checksum, fileStatus,
        .target(
            name: "RelayHTTP",
            dependencies: ["Libc", .target(name: "CEpoll", condition: .when(platforms: [.linux]))],
            exclude: ["CEpoll", "Libc"],
            swiftSettings: programRules),
        .target(
            name: "BeemedDomain",
            dependencies: [
                "Libc", "CChecksum",
                .target(name: "CFileStatus", condition: .when(platforms: [.linux])),
            ],
            exclude: ["CChecksum", "CFileStatus"],
            swiftSettings: programRules),
        // The test server for Beeminder shares nothing with the relay but the HTTP server.
        .target(
            name: "BeeminderSimulator", dependencies: ["Libc", "RelayHTTP"],
            path: "Sources/BeemedRelay/Simulator", swiftSettings: programRules),
        // Page, manual, contract and recipes as bytes: `#embed` takes no time, while arrays that
        // SwiftPM makes of resources took a tenth of a build.
        .target(
            name: "CEmbedded", path: "Sources/BeemedRelay/CEmbedded",
            exclude: ["manual", "page", "sent", "service"],
            // Valgrind 3.19 cannot read the newer format.
            cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .target(
            name: "RelayTrunk",
            dependencies: [
                "Libc", "RelayHTTP", "BeemedDomain", "CEmbedded", "CCurl",
                .target(name: "CTimex", condition: .when(platforms: [.linux])),
                .target(name: "CLoader", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/BeemedRelay/Trunk", swiftSettings: programRules),
        .executableTarget(
            name: "BeemedRelay",
            dependencies: ["Libc", "RelayHTTP", "BeemedDomain", "RelayTrunk", "BeeminderSimulator"]
                + leaves.map { .target(name: $0.name) },
            path: "Sources/BeemedRelay/Program", swiftSettings: programRules),
        .testTarget(
            name: "RelayTests",
            dependencies: [
                "RelayHTTP", "BeemedDomain", "RelayTrunk", "BeemedRelay", "BeeminderSimulator",
            ] + leaves.map { .target(name: $0.name) },
            exclude: [
                "Spec", "Golden", "Recipes/device.js", "Recipes/flow.js", "Recipes/tasmota.py",
            ],
            swiftSettings: rules),
        .testTarget(name: "DomainTests", dependencies: ["BeemedDomain"], swiftSettings: rules),
    ] + leaves,
    cLanguageStandard: .c2x  // `#embed` (C23).
)
