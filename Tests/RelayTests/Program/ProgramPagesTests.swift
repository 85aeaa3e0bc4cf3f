import Foundation
import Testing

@testable import BeemedRelay

/// What of the program and its libraries is in memory.
@Suite(.timeLimit(.minutes(5))) struct ProgramPagesTests {
    @Test func `only mappings of files that were never written to are released`() {
        let maps = """
            55e0-55e8 r--p 00000000 08:01 12                   /usr/bin/relay
            Rss:                  16 kB
            Anonymous:             0 kB
            VmFlags: rd mr mw me
            55e8-55f0 r-xp 00008000 08:01 12                   /usr/bin/a relay
            Anonymous:             0 kB
            55f0-55f4 r--p 00010000 08:01 12                   /usr/bin/relay
            Anonymous:             8 kB
            55f4-55f8 rw-p 00014000 08:01 12                   /usr/bin/relay
            Anonymous:             0 kB
            55f8-55fc r--p 00000000 00:00 0                    [vvar]
            Anonymous:             0 kB
            5600-5604 r--p 00000000 00:00 0
            Anonymous:             0 kB
            5604-5608 r--p 00000000 08:01 13                   /usr/lib/x
            Anonymous:            10 kB
            """
        #expect(ProgramPages.unchanged(in: Array(maps.utf8)) == [0x55E0..<0x55E8, 0x55E8..<0x55F0])
        let own = ProgramPages.ownFile(in: Array(maps.utf8))
        #expect(own == "/usr/bin/relay")
        #expect(ProgramPages.unchanged(in: Array(maps.utf8), of: own) == [0x55E0..<0x55E8])
    }

    #if os(Linux)
        @Test func `a program runs on after its pages were released`() async {
            await #expect(processExitsWith: .success) {
                for _ in 0..<3 {
                    ProgramPages.release(withLibraries: true)
                    #expect(JSONMembers(["a": [1, 2]]).data == Data(#"{"a":[1,2]}"#.utf8))
                }
            }
        }

        @Test func `a relay with nothing to send loads no HTTP client, and little of Foundation`()
            throws
        {
            let folder = TemporaryFolder()
            let relay = try Executable(["serve", "--data", folder.path, "--listen", "127.0.0.1:0"])
            #expect(try #require(relay.line()).hasPrefix("Listening on "))
            while let line = relay.line(), !line.hasPrefix("docs ") {}
            let maps = try String(
                contentsOfFile: "/proc/\(relay.identifier)/maps", encoding: .utf8)
            #expect(maps.contains("libc.so"))
            for name in ["libcurl", "libssl", "libFoundationNetworking", "libFoundation.so"] {
                #expect(!maps.contains(name), "\(name)")
            }
            relay.send(SIGTERM)
            #expect(relay.wait() == 0)
        }
    #endif
}
