import Foundation
import Testing

@testable import RelayTrunk

/// The pages of the program and of its libraries that are in memory.
struct ProgramPagesTests {
    #if os(Linux)
        @Test func `a program runs on after its pages were released`() async {
            await #expect(processExitsWith: .success) {
                for _ in 0..<3 {
                    ProgramPages.release()
                    expect(JSONMembers(["a": [1, 2]]).bytes, is: Array(#"{"a":[1,2]}"#.utf8))
                }
            }
        }

        @Test func `released pages are not in memory until they are used`() async {
            await #expect(processExitsWith: .success) {
                let before = try pagesOfFiles()
                ProgramPages.release()
                let after = try pagesOfFiles()
                // A megabyte; the libraries, which a release has in itself, stay.
                expect(before - after > 256, "\(after) pages of \(before)")
            }
        }

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
    #endif
}

#if os(Linux)
    /// Pages of files and of shared memory that the process has in memory (proc_pid_statm(5)).
    private func pagesOfFiles() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try require(Int(text.split(separator: " ")[2]))
    }
#endif
