import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay
@testable import BeeminderSimulator
@testable import RelayCommands
@testable import RelayTrunk

/// Each finding of `doctor`, with its next step. A state that cannot be brought about on every
/// machine is given to the findings as an argument.
struct DoctorTests {
    private let folder = TemporaryFolder()

    private struct Findings: Decodable {
        var findings: [DoctorFinding]
    }

    /// The command's findings, with its exit code.
    private func doctor(
        _ words: [String] = [], beeminder: String = "http://127.0.0.1:9",
        environment: [String: String] = [:]
    ) throws -> (code: Int32, found: [DoctorFinding]) {
        let line = [
            "doctor", "--json", "--data", folder.path, "--beeminder-url", beeminder,
        ]
        let done = try Executable.run(line + words, environment: environment)
        let answer = try JSONDecoder().decode(Findings.self, from: Data(done.output.utf8))
        return (done.code, answer.findings)
    }

    /// The finding of that name, which is in this state, says this and names this next step.
    private func expectFinding(
        _ found: [DoctorFinding], _ name: String, _ state: DoctorFinding.State, _ words: String,
        next: String?, file: String = #filePath, line: Int = #line
    ) {
        let match = found.first { finding in
            finding.name == name && finding.state == state && finding.detail.contains(words)
                && (next.map { finding.next?.contains($0) ?? false } ?? (finding.next == nil))
        }
        expect(match != nil, "\(name), among \(found)", file: file, line: line)
    }

    #if os(Linux)
        @Test func `names the library for requests, if it cannot be loaded`() throws {
            let libraries = TemporaryFolder()
            try libraries.make()
            // The loader finds this one first, which is no library.
            try Data().write(to: URL(fileURLWithPath: "\(libraries.path)/libcurl.so.4"))
            let found = try doctor(environment: ["LD_LIBRARY_PATH": libraries.path]).found
            expectFinding(
                found, "libcurl", .problem, "libcurl cannot be loaded", next: "libcurl4")
        }
    #endif

    // MARK: The disk

    private func disk(
        free: UInt64 = 1 << 40, fileSystem: String = "ext4", milliseconds: Double = 3
    ) -> [DoctorFinding] {
        let mounts = """
            21 1 8:1 / / rw,relatime shared:1 - xfs /dev/sda1 rw
            36 21 0:30 / \(folder.path) rw - \(fileSystem) none rw
            40 21 0:31 / \(folder.path)-beside rw - nfs none rw
            """
        return [
            DiskFindings.room(free), DiskFindings(folder: folder.path).kind(among: mounts),
            DiskFindings.syncTime(milliseconds),
        ]
    }

    @Test func `the disk`() {
        each(
            Self.init,
            [
                Self.`a sound disk needs nothing`,
                Self.`a disk that is nearly full, slow, or none of this machine`,
                Self.`a disk that cannot be asked`,
            ])
    }

    private func `a sound disk needs nothing`() throws {
        try folder.make()
        let found = disk()
        expect(found.allSatisfy { $0.state == .ok && $0.next == nil }, "\(found)")
        expectFinding(found, "disk", .ok, "ext4", next: nil)
    }

    /// Free bytes, the file system, the milliseconds of a sync, and what is found.
    private func `a disk that is nearly full, slow, or none of this machine`() throws {
        let rows: [(UInt64, String, Double, String, String, String)] = [
            (200 << 20, "ext4", 3, "disk space", "200 MiB", "make room"),
            (15 << 20, "ext4", 3, "disk space", "no press is accepted", "remove"),
            (1 << 40, "tmpfs", 3, "disk", "it is memory", "--data"),
            (1 << 40, "nfs4", 3, "disk", "over the network", "--data"),
            (1 << 40, "overlay", 3, "disk", "container", "--data"),
            (1 << 40, "vfat", 3, "disk", "power cut", "--data"),
            (1 << 40, "ext4", 1_400, "disk sync", "1400 ms", "SD card"),
        ]
        for (free, fileSystem, milliseconds, name, words, next) in rows {
            try folder.make()
            let found = disk(free: free, fileSystem: fileSystem, milliseconds: milliseconds)
            expectFinding(found, name, free < 100 << 20 ? .problem : .warning, words, next: next)
        }
    }

    private func `a disk that cannot be asked`() throws {
        try folder.make()
        let found = [DiskFindings(folder: folder.path).kind(among: nil)]
        expectFinding(found, "disk", .ok, "not known", next: nil)
        let gone = "\(folder.path)/gone"
        let room = [DiskFindings(folder: gone).room]
        expectFinding(room, "disk space", .problem, "cannot be read", next: "df \(gone)")
        // No file can be made in a file.
        try folder.write("", to: "file")
        let failed = DiskFindings(folder: "\(folder.path)/file").all
        expectFinding(failed, "disk sync", .problem, "cannot be written", next: "read-only")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
    func `a real tmpfs is recognized`() throws {
        let place = "/dev/shm/beemed-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: place) }
        let found = DiskFindings(folder: place).all
        expectFinding(found, "disk", .warning, "tmpfs", next: "--data")
        expectFinding(found, "disk sync", .ok, "ms at most", next: nil)
        try expect(FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test func `the folder and its settings`() {
        each(
            Self.init,
            [
                Self.`permissions that are too wide`, Self.`a folder that does not exist yet`,
                Self.`a setting that is wrong`,
            ])
    }

    private func `permissions that are too wide`() throws {
        let rows: [(mode_t, DoctorFinding.State, String, String)] = [
            (0o777, DoctorFinding.State.problem, "a start would be refused", "chown -R"),
            (0o755, .warning, "others on this machine", "chmod 700"),
        ]
        for (mode, state, words, next) in rows {
            try folder.make()
            unsafe chmod(folder.path, mode)
            expectFinding(try doctor().found, "permissions", state, words, next: next)
        }
    }

    private func `a folder that does not exist yet`() throws {
        let found = try doctor().found
        expectFinding(found, "data folder", .warning, "does not exist yet", next: "serve")
        expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    // MARK: Beeminder

    private func upstream(
        _ base: String, _ account: Account? = nil, isClockKept: Bool? = true
    ) throws -> [DoctorFinding] {
        let arguments = try Arguments(
            ["--beeminder-url", base], for: try require(CommandTable.command(["doctor"])))
        let settings = try Settings(arguments, environment: [:])
        return try UpstreamFindings(
            settings: settings, account: account, isClockKept: isClockKept
        ).all()
    }

    /// A Beeminder whose clock differs from ours.
    private func beeminder(ahead seconds: Double?) throws -> RawBeeminder {
        try RawBeeminder { _ in
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "GMT")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            let date = seconds.map { "Date: \(format.string(from: Date() + $0))\r\n" } ?? ""
            return "HTTP/1.1 401 Unauthorized\r\n\(date)Content-Type: application/json\r\n"
                + "Content-Length: 48\r\n\r\n"
                + #"{"errors":{"auth_token":"bad_token","token":""}}"#
        }
    }

    @Test func `the clock`() {
        each(
            Self.init,
            [
                Self.`a clock that is off`,
                Self.`a clock that is right, and one that nobody can tell of`,
            ])
    }

    private func `a clock that is off`() throws {
        let rows: [(Double, String)] = [
            (3_600.0, "behind Beeminder's; NTP does not keep it"),
            (-90_000, "ahead of Beeminder's"),
        ]
        for (ahead, words) in rows {
            let server = try beeminder(ahead: ahead)
            let found = try upstream("http://127.0.0.1:\(server.port)/", isClockKept: false)
            expectFinding(found, "clock", .problem, words, next: "timedatectl set-ntp true")
        }
    }

    private func `a clock that is right, and one that nobody can tell of`() throws {
        let server = try beeminder(ahead: 0)
        let right = try upstream("http://127.0.0.1:\(server.port)/")
        expectFinding(right, "clock", .ok, "s off Beeminder's", next: nil)
        let silent = try beeminder(ahead: nil)
        let base = "http://127.0.0.1:\(silent.port)/"
        expectFinding(try upstream(base), "clock", .ok, "NTP keeps it", next: nil)
        for isKept in [nil, false] as [Bool?] {
            let found = try upstream(base, isClockKept: isKept)
            expectFinding(found, "clock", .warning, "not compared", next: "set-ntp")
        }
    }

    @Test func `Beeminder`() {
        each(
            Self.init,
            [
                Self.`a token that is refused, missing, mistyped or good`,
                Self.`a Beeminder that nobody can reach`,
                Self.`a Beeminder that has a fault of its own`,
                Self.`a server that takes the token and names no user`,
            ])
    }

    private func `a token that is refused, missing, mistyped or good`() throws {
        let beeminder = try RunningBeeminder()
        func token(_ account: Account?) throws -> [DoctorFinding] {
            try upstream(beeminder.base, account)
        }
        expectFinding(
            try token(.personalToken("wrong")), "token", .problem, "does not take it",
            next: "beemed-relay connect")
        expectFinding(try token(nil), "token", .problem, "no account", next: "beemed-relay connect")
        expectFinding(
            try token(.personalToken("two words")), "token", .problem, "one word",
            next: "beemed-relay connect")
        let good = try token(.personalToken(RunningBeeminder.token))
        expectFinding(good, "token", .ok, "alice", next: nil)
        expectFinding(good, "Beeminder", .ok, "answers", next: nil)
    }

    private func `a Beeminder that nobody can reach`() throws {
        let found = try upstream("http://127.0.0.1:9", .personalToken("x"))
        expectFinding(
            found, "Beeminder", .problem, "nothing answers at that address", next: "curl -sS")
        expectFinding(found, "token", .warning, "not verified", next: "Beeminder above")
    }

    private func `a Beeminder that has a fault of its own`() throws {
        let server = try ScriptedBeeminder { _, _ in .says(503, "<html>Sorry</html>") }
        let found = try upstream("http://\(server.endpoint)", .personalToken("x"))
        expectFinding(
            found, "Beeminder", .warning, "answers with status 503", next: "nothing to do here")
        expectFinding(found, "token", .warning, "not verified", next: "Beeminder above")
    }

    // MARK: The machine and the relay

    @Test func `the port and the time zone`() {
        each(
            Self.init,
            [
                Self.`a port that is taken, and one that is free`,
                Self.`a time zone that nobody has set`,
            ])
    }

    private func `a port that is taken, and one that is free`() throws {
        let server = try beeminder(ahead: 0)
        let taken = try doctor(["--listen", "127.0.0.1:\(server.port)"])
        expect(taken.code, is: 65)
        expectFinding(taken.found, "port", .problem, "cannot be used", next: "ss -ltnp")
        let free = try doctor(["--listen", "127.0.0.1:0"]).found
        expectFinding(free, "relay", .warning, "none runs", next: "serve")
    }

    private func `a time zone that nobody has set`() throws {
        let utc = try doctor(environment: ["TZ": "UTC"]).found
        expectFinding(utc, "time zone", .warning, "UTC", next: "set-timezone")
        let set = try doctor(environment: ["TZ": "Asia/Kolkata"]).found
        expectFinding(set, "time zone", .ok, "IST, +5.5 h", next: nil)
    }

    private func `a setting that is wrong`() throws {
        try folder.make()
        try folder.write(#"{"lsten":"0.0.0.0:1"}"#, to: "config.json")
        expectFinding(try doctor().found, "settings", .problem, "lsten", next: "help serve")
    }

    @Test func `a relay that runs`() {
        each(
            Self.init,
            [
                Self.`a relay that runs, with what it refused last`,
                Self.`a relay without an account`,
                Self.`a relay whose token Beeminder refuses`,
                Self.`a relay whose user is not verified, on a folder that others may read`,
            ])
    }

    private func `a relay that runs, with what it refused last`() throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        let well = try doctor(beeminder: beeminder.base)
        expect(well.code, is: 0)
        expectFinding(well.found, "relay", .ok, "it runs", next: nil)
        expectFinding(well.found, "token", .ok, "alice", next: nil)
        expectFinding(well.found, "last errors", .ok, "none", next: nil)
        try expect(relay.call("POST", "/log/water", "much").status, is: 422)
        let found = try doctor(beeminder: beeminder.base).found
        expectFinding(found, "last refusal", .warning, "/log/water", next: "/docs")
    }

    private func `a relay without an account`() throws {
        let relay = try RunningRelayProgram(in: folder, account: nil)
        defer { relay.stop() }
        let found = try doctor()
        expect(found.code, is: 65)
        expectFinding(found.found, "token", .problem, "no account", next: "beemed-relay connect")
        let words = "no Beeminder account: run beemed-relay connect"
        expectFinding(found.found, "alarm", .problem, words, next: nil)
    }

    private func `a relay whose token Beeminder refuses`() throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(
            in: folder, beeminder: beeminder.base, account: .personalToken("wrong"))
        func state() throws -> String? {
            let answer = try relay.call("GET", "/connection", token: relay.owner).body
            return try members(answer)["state"] as? String
        }
        try waitUntil("the token is refused") { try state() == "signInAgain" }
        let found = try doctor(beeminder: beeminder.base)
        expect(found.code, is: 65)
        expectFinding(
            found.found, "token", .problem, "does not take it", next: "beemed-relay connect")
    }

    private func `a relay whose user is not verified, on a folder that others may read`() throws {
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        unsafe chmod(folder.path, 0o755)
        let found = try doctor().found
        expectFinding(found, "token", .warning, "not verified", next: "Beeminder")
        expectFinding(found, "permissions", .warning, "others on this machine", next: "chmod 700")
        expectFinding(found, "alarm", .warning, "others on this machine", next: nil)
    }

    private func `a server that takes the token and names no user`() throws {
        let server = try ScriptedBeeminder { _, _ in .says(200, "{}") }
        let found = try upstream("http://\(server.endpoint)", .personalToken("x"))
        expectFinding(found, "token", .ok, "names no user", next: nil)
    }
}
