import Foundation
import Synchronization
import Testing

@testable import RelayTrunk

/// What of the program and its libraries is in memory.
struct ProgramPagesTests {
    private typealias Segment = ProgramPages.Segment

    @Test func `only pages without a byte that was written to are released`() {
        let segments = [
            Segment(bytes: 0x1000..<0x3456, isWritable: false),
            Segment(bytes: 0x5678..<0x7000, isWritable: false),
            Segment(bytes: 0x7F00..<0x8000, isWritable: false),
            Segment(bytes: 0x8000..<0x9001, isWritable: true),
            Segment(bytes: 0x9800..<0xC100, isWritable: false),
        ]
        expect(
            ProgramPages.unchanged(in: segments, pageBytes: 0x1000),
            is: [
                0x1000..<0x4000, 0x5000..<0x7000, 0x7000..<0x8000, 0xA000..<0xD000,
            ])
    }

    @Test func `a page that two segments share is kept, wherever the writable one stands`() {
        func left(_ bytes: Range<UInt>, beside written: Range<UInt>...) -> [Range<UInt>] {
            let segments = written.map { Segment(bytes: $0, isWritable: true) }
            return ProgramPages.unchanged(
                in: segments + [Segment(bytes: bytes, isWritable: false)], pageBytes: 0x1000)
        }
        expect(left(0x1000..<0x3000, beside: 0x2FFF..<0x5000), is: [0x1000..<0x2000])
        expect(left(0x1000..<0x3000, beside: 0x0000..<0x1001), is: [0x2000..<0x3000])
        expect(left(0x1000..<0x3000, beside: 0x0000..<0x5000), is: [])
        expect(left(0x1200..<0x1300, beside: 0x1400..<0x1500), is: [])
        expect(
            left(0x1000..<0x5000, beside: 0x0000..<0x1001, 0x4FFF..<0x8000), is: [0x2000..<0x4000])
        expect(left(0x1000..<0x3000, beside: 0x3000..<0x5000), is: [0x1000..<0x3000])
    }

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
                expect(after < before / 2, "\(after) pages of \(before)")
            }
        }

        @Test func `pages are released while another thread loads and closes libraries`() async {
            // In a process of its own: a library whose addresses were lost ends it.
            await #expect(processExitsWith: .success) {
                // A few releases for each load: the loader's lock is not fair, and a thread that
                // takes it all the time would keep the other one from loading anything.
                let loads = 20
                let (begins, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let versions = Mutex<Set<String>>([])
                Thread.detachNewThread {
                    for _ in 0..<loads {
                        begins.signal()
                        let version = curlVersion() ?? "none"
                        versions.withLock { _ = $0.insert(version) }
                        ended.signal()
                    }
                }
                for _ in 0..<loads {
                    begins.wait()
                    for _ in 0..<4 { ProgramPages.release() }
                    ended.wait()
                }
                let found = versions.withLock(\.self)
                expect(found.count == 1 && found.first?.hasPrefix("libcurl/") == true, "\(found)")
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

    /// What a library says that is loaded for this call alone, with those that it needs; nil when
    /// it cannot be loaded.
    private func curlVersion() -> String? {
        guard let library = unsafe dlopen("libcurl.so.4", RTLD_NOW) else { return nil }
        defer { unsafe dlclose(library) }
        guard let symbol = unsafe dlsym(library, "curl_version") else { return nil }
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        return unsafe unsafeBitCast(symbol, to: Version.self)().map { unsafe String(cString: $0) }
    }
#endif
