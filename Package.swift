// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target, here and not in CI, so that everyone meets the same errors.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),  // SE-0458: the word `unsafe` marks exactly the system calls.
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .treatAllWarnings(as: .error),  // SE-0443
]

/// epoll and eventfd, which the Glibc module leaves out: a module map and one header.
let epoll = Target.systemLibrary(name: "CEpoll", path: "Sources/RelayHTTP/CEpoll")

/// libcurl's functions without a fixed number of arguments: a module map and one header.
let curl = Target.systemLibrary(name: "CCurl", path: "Sources/BeemedRelay/CCurl")

/// What the kernel knows of its clock: a module map and one header.
let timex = Target.systemLibrary(name: "CTimex", path: "Sources/BeemedRelay/CTimex")

let package = Package(
    name: "beemed-relay",
    platforms: [.macOS("26.0")],
    products: [.executable(name: "beemed-relay", targets: ["BeemedRelay"])],
    targets: [
        epoll, curl, timex,
        .target(
            name: "RelayHTTP",
            dependencies: [.target(name: "CEpoll", condition: .when(platforms: [.linux]))],
            exclude: ["CEpoll"],
            swiftSettings: rules),
        .target(name: "BeemedDomain", swiftSettings: rules),
        .executableTarget(
            name: "BeemedRelay",
            dependencies: [
                "RelayHTTP", "BeemedDomain",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CTimex", condition: .when(platforms: [.linux])),
            ],
            exclude: ["CCurl", "CTimex"],
            resources: [
                // A link to the contract at the top: there is one of it.
                .embedInCode("Manual/openapi.yaml"),
                .embedInCode("Manual/manual.html"), .embedInCode("Manual/manual.css"),
                .embedInCode("Manual/manual.js"),
            ],
            swiftSettings: rules),
        .testTarget(
            name: "RelayTests",
            dependencies: ["RelayHTTP", "BeemedRelay", "BeemedDomain"],
            exclude: ["Spec", "Recipes/device.js", "Recipes/flow.js"],
            swiftSettings: rules),
        .testTarget(name: "DomainTests", dependencies: ["BeemedDomain"], swiftSettings: rules),
    ]
)
