#if os(Linux)
    import Foundation
    import Testing

    @testable import RelayTrunk

    /// The libraries that the program has in memory.
    struct LoadedLibrariesTests {
        @Test func `a relay with nothing to send loads no HTTP client, and little of Foundation`()
            throws
        {
            let folder = TemporaryFolder()
            let relay = try Executable(["serve", "--data", folder.path, "--listen", "127.0.0.1:0"])
            try expect(require(relay.line()).hasPrefix("Listening on "))
            while let line = relay.line(), !line.hasPrefix("docs ") {}
            let maps = try String(
                contentsOfFile: "/proc/\(relay.identifier)/maps", encoding: .utf8)
            expect(maps.contains("libc.so"))
            for name in ["libcurl", "libssl", "libFoundationNetworking", "libFoundation.so"] {
                expect(!maps.contains(name), "\(name)")
            }
            expect(relay.terminate(), is: 0)
        }
    }
#endif
