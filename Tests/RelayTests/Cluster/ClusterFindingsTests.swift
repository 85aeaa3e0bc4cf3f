import Foundation
import Testing

@testable import RelayCluster
@testable import RelayTrunk

/// The findings of `doctor` about etcd.
struct ClusterFindingsTests {
    private func findings(_ location: StoreLocation, password: String? = nil) throws
        -> [DoctorFinding]
    {
        let folder = TemporaryFolder()
        var cluster = ClusterSettings()
        cluster.store = location
        if let password {
            try PrivateFile.makeFolder(folder.path)
            cluster.passwordFile = "\(folder.path)/password"
            try PrivateFile.write(Array(password.utf8), to: cluster.passwordFile)
        }
        return ClusterFindings(cluster: cluster).all
    }

    private func expectFinding(
        _ found: [DoctorFinding], _ state: DoctorFinding.State, _ words: String, next: String?,
        file: String = #filePath, line: Int = #line
    ) {
        let match = found.contains { finding in
            finding.name == "etcd" && finding.state == state && finding.detail.contains(words)
                && (next.map { finding.next?.contains($0) ?? false } ?? (finding.next == nil))
        }
        expect(match, "among \(found)", file: file, line: line)
    }

    @Test func `a relay that is alone has no findings`() {
        expect(ClusterFindings(cluster: ClusterSettings()).all.isEmpty)
    }

    @Test func `three members that answer need nothing`() throws {
        let members = try (0..<3).map { _ in try RunningEtcd() }
        let found = try findings(try members[0].location(members[1], members[2]))
        expect(found.count == 3 && found.allSatisfy { $0.state == .ok }, "\(found)")
        for member in members {
            expectFinding(
                found, .ok, "http://\(member.endpoint) answers, version 3.4.23, 5 MB", next: nil)
        }
    }

    @Test func `fewer than three members are told`() throws {
        let etcd = try RunningEtcd()
        let found = try findings(try etcd.location())
        expectFinding(found, .ok, "answers", next: nil)
        expectFinding(found, .warning, "names 1 of its members", next: "at least three")
    }

    @Test func `a password without TLS is told`() throws {
        let etcd = try RunningEtcd()
        let location = try require(StoreLocation("etcd://relay@\(etcd.endpoint)/home"))
        let found = try findings(location, password: "secret")
        expectFinding(found, .warning, "without TLS", next: "etcds://")
    }

    @Test func `a gateway that is off`() throws {
        let etcd = try RunningEtcd { _, _ in .says(404, "404 page not found\n") }
        let found = try findings(try etcd.location())
        expectFinding(found, .problem, "serves no gateway", next: "--enable-grpc-gateway=true")
        expectFinding(found, .problem, "\(etcd.endpoint)", next: "--enable-grpc-gateway=true")
    }

    @Test func `a password that is wanted, wrong, right or for nothing`() throws {
        let etcd = try RunningEtcd()
        etcd.data.with { $0.password = "secret" }
        expectFinding(
            try findings(try etcd.location()), .problem, "user name is empty",
            next: "--store-password-file")
        let user = try etcd.location(user: "relay")
        expectFinding(
            try findings(user), .problem, "names a user", next: "write the password to that file")
        expectFinding(
            try findings(user, password: "wrong"), .problem, "invalid user ID or password",
            next: "--store-password-file")
        expectFinding(try findings(user, password: "secret\n"), .ok, "answers", next: nil)
        etcd.data.with { $0.password = nil }
        expectFinding(
            try findings(user, password: "secret"), .problem, "authentication is not enabled",
            next: "remove the user")
    }

    @Test func `a user without the right to the keys`() throws {
        let etcd = try RunningEtcd { call, _ in
            call.path == "/v3/kv/range"
                ? .says(403, etcdError(7, "etcdserver: permission denied")) : nil
        }
        expectFinding(
            try findings(try etcd.location()), .problem, "permission denied", next: "role")
    }

    @Test func `a quota that is used up`() throws {
        let etcd = try RunningEtcd()
        etcd.data.with { $0.isFull = true }
        let found = try findings(try etcd.location())
        expectFinding(found, .problem, "quota is used up", next: "etcdctl alarm list")
        expectFinding(found, .ok, "answers", next: nil)
    }

    @Test func `members without a majority`() throws {
        let etcd = try RunningEtcd { call, _ in
            call.path == "/v3/maintenance/status"
                ? nil : .says(503, etcdError(14, "etcdserver: no leader"))
        }
        expectFinding(
            try findings(try etcd.location()), .problem, "no answer of a majority",
            next: "two of three members run")
    }

    @Test func `a member that does not run, beside two that do`() throws {
        let members = try (0..<3).map { _ in try RunningEtcd() }
        let location = try members[0].location(members[1], members[2])
        members[1].stop()
        let found = try findings(location)
        expect(found.filter { $0.state == .ok }.count, is: 2)
        expectFinding(
            found, .problem, "no answer: http://\(members[1].endpoint)",
            next: "systemctl status etcd")
        expect(!found.contains { $0.detail.contains("majority") }, "two others answer")
    }

    @Test(arguments: [(3_600.0, true), (-60, true), (2, false)])
    func `clocks that are apart`(_ ahead: Double, _ isFound: Bool) throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = format.string(from: Date() + ahead)
        let body = #"{"header":{},"version":"3.5.1"}"#
        let server = try RawBeeminder { _ in
            "HTTP/1.1 200 OK\r\nDate: \(date)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        let location = try require(StoreLocation("etcd://\(server.endpoint)/home"))
        let found = try findings(location)
        expectFinding(found, .ok, "version 3.5.1", next: nil)
        expect(found.contains { $0.detail.contains("the clock of") }, is: isFound)
        if isFound {
            expectFinding(found, .warning, "differs by \(ahead < 0 ? "-" : "")", next: "NTP")
        }
    }
}
