import Foundation
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayCluster
@testable import RelayTrunk

/// The small files of a relay as keys of etcd.
struct ClusterFilesTests {
    private let folder = TemporaryFolder()
    private let keys = StoreKeys(store: "home")

    /// A relay that leads, as far as etcd is concerned.
    private struct Leader {
        var files: ClusterFiles
        var site: ClusterSite
        var term: LeaseTerm { site.term }
        var gateway: EtcdGateway
    }

    private func lead(_ etcd: RunningEtcd, others: RunningEtcd? = nil) throws -> Leader {
        let location = try others.map { try etcd.location($0) } ?? etcd.location()
        let gateway = EtcdGateway(location, password: nil, seconds: HangLimit.seconds)
        let (lease, seconds) = try gateway.grant(seconds: 60)
        let claim = Transaction(
            if: [keys.leader: 0], then: [.put(keys.leader, [1], lease: lease)])
        guard case .done(let epoch) = try gateway.commit(claim) else {
            throw Unexpected("another one leads")
        }
        let clock = LeaseKeeper.clock
        let term = LeaseTerm(
            epoch: epoch, lease: lease, expiry: clock().adding(seconds: Double(seconds)),
            clock: clock)
        let site = ClusterSite(gateway, keys, term)
        let files = try ClusterFiles(site, folder: folder.path)
        return Leader(files: files, site: site, gateway: gateway)
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The error of a write; nil when it succeeded.
    private func fault(_ write: () throws(DiskError) -> Void) -> DiskError? {
        do throws(DiskError) {
            try write()
            return nil
        } catch { return error }
    }

    @Test func `settings are keys of the store, which the next leader reads`() throws {
        let etcd = try RunningEtcd()
        let first = try lead(etcd)
        try expect(first.files.read(path("devices.json")) == nil)
        try first.files.write(bytes("one"), to: path("devices.json"))
        try first.files.write(bytes("two"), to: path("devices.json"))
        try first.files.write(bytes("walk"), to: path("health/steps.json"))
        try first.files.write([], to: path("pins.json"))
        try first.files.move(path("pins.json"), to: path("quarantine/pins.json-7"))
        try first.files.write(bytes("x"), to: path("rules.json"))
        try first.files.remove(path("rules.json"))
        try first.files.remove(path("rules.json"))
        expect(etcd.data.text("/beemed/home/config/devices.json"), is: "two")
        try first.gateway.revoke(first.term.lease)
        let second = try lead(etcd)
        try expect(second.files.read(path("devices.json")), is: bytes("two"))
        try expect(second.files.read(path("rules.json")) == nil)
        try expect(second.files.read(path("quarantine/pins.json-7")), is: [])
        expect(second.files.names(in: path("health")), is: ["steps.json"])
        try second.files.write(bytes("three"), to: path("devices.json"))
        expect(etcd.data.text("/beemed/home/config/devices.json"), is: "three")
    }

    @Test func `what belongs to a machine stays there`() throws {
        let etcd = try RunningEtcd()
        try PrivateFile.makeFolder(folder.path)
        let leader = try lead(etcd)
        let before = etcd.calls.count
        let store = RelayStore(folder: folder.path, files: leader.files)
        let account = ConnectedAccount(
            new: .personalToken("b33minder-t0ken"), at: UnixTime(1_760_000_000))
        expect(store.save(account, .standard))
        try leader.files.write(bytes("beside"), to: "\(folder.path)-beside")
        defer { try? FileManager.default.removeItem(atPath: "\(folder.path)-beside") }
        expect(etcd.calls.count, is: before, "nothing of it is told to etcd")
        try expect(store.account()?.account, is: .personalToken("b33minder-t0ken"))
    }

    @Test func `a value that was changed meanwhile is not overwritten`() throws {
        let etcd = try RunningEtcd()
        let leader = try lead(etcd)
        try leader.files.write(bytes("mine"), to: path("presets.json"))
        // A hand edit, or an error: only the leader writes these keys.
        _ = try leader.gateway.commit(
            Transaction(if: [:], then: [.put(keys.setting("presets.json"), bytes("other"))]))
        let found = fault { () throws(DiskError) in
            try leader.files.write(bytes("mine again"), to: path("presets.json"))
        }
        expect(found?.code, is: ESTALE)
        expect(etcd.data.text("/beemed/home/config/presets.json"), is: "other")
    }

    @Test func `a relay that was deposed writes nothing more`() throws {
        let etcd = try RunningEtcd()
        let former = try lead(etcd)
        try former.files.write(bytes("a"), to: path("devices.json"))
        try former.gateway.revoke(former.term.lease)
        let present = try lead(etcd)
        try present.files.write(bytes("b"), to: path("devices.json"))
        for change in [bytes("c"), nil] {
            let found = fault { () throws(DiskError) in
                if let change {
                    try former.files.write(change, to: path("devices.json"))
                } else {
                    try former.files.remove(path("devices.json"))
                }
            }
            expect(found?.code, is: ESTALE)
        }
        expect(
            fault { () throws(DiskError) in
                try former.files.write(bytes("d"), to: path("rules.json"))
            }?.code, is: ESTALE)
        expect(etcd.data.text("/beemed/home/config/devices.json"), is: "b")
        expect(etcd.data.text("/beemed/home/config/rules.json") == nil)
    }

    @Test(
        arguments: [.losesAnswer, .losesCall, .breaksOff(after: 3), .says(503, "")]
            as [RunningEtcd.Trouble])
    func `a write whose answer is lost is repeated at the next member, and counts once`(
        _ trouble: RunningEtcd.Trouble
    ) throws {
        let etcd = try RunningEtcd()
        let other = try RunningEtcd(etcd.data)
        let leader = try lead(etcd, others: other)
        for step in [bytes("one"), bytes("two"), nil] {
            etcd.set { call, _ in call.path == "/v3/kv/txn" ? trouble : nil }
            if let step {
                try leader.files.write(step, to: path("pins.json"))
            } else {
                try leader.files.remove(path("pins.json"))
            }
            try expect(leader.files.read(path("pins.json")), is: step)
            let stored = etcd.data.text("/beemed/home/config/pins.json")
            expect(stored, is: step.map { String(decoding: $0, as: UTF8.self) })
            other.set { _, _ in .says(503, "") }
            etcd.set(nil)
            try waitUntil("the first member is called again") {
                (try? leader.gateway.get(keys.leader)) != nil
            }
            other.set(nil)
        }
    }

    @Test func `a quota that is used up and a refusal are told as those of a disk`() throws {
        let etcd = try RunningEtcd()
        let leader = try lead(etcd)
        etcd.data.with { $0.isFull = true }
        let full = fault { () throws(DiskError) in
            try leader.files.write(bytes("x"), to: path("pins.json"))
        }
        expect(full?.code, is: ENOSPC)
        etcd.data.with { $0.isFull = false }
        let large = [UInt8](repeating: 1, count: 2 << 20)
        let refused = fault { () throws(DiskError) in
            try leader.files.write(large, to: path("pins.json"))
        }
        expect(refused?.code, is: EACCES)
        try expect(leader.files.read(path("pins.json")) == nil, "what failed is not shown")
    }

    @Test func `a write ends with the lease when etcd does not answer`() throws {
        let etcd = try RunningEtcd()
        let leader = try lead(etcd)
        let term = leader.term
        etcd.set { _, count in
            if count > 6 { term.finish() }
            return .losesCall
        }
        let found = fault { () throws(DiskError) in
            try leader.files.write(bytes("x"), to: path("pins.json"))
        }
        expect(found?.code, is: ESTALE)
        expect(etcd.data.text("/beemed/home/config/pins.json") == nil)
    }

    @Test func `the next leader knows the names of goals that the former one has heard`() throws {
        func goal(_ name: String, _ id: String) throws -> Goal {
            var goal = Goal(slug: try BeeminderClientTests.goal(name))
            goal.id = id
            return goal
        }
        let etcd = try RunningEtcd()
        try PrivateFile.makeFolder(folder.path)
        let leader = try lead(etcd)
        let store = RelayStore(folder: folder.path, files: leader.files)
        let user = UpstreamUser(name: "alice")
        var book = GoalBook()
        book.replace([try goal("water", "X")], user: user, at: UnixTime(1), before: 1)
        store.save(book, .silent)
        let goals = [try goal("water2", "X"), try goal("water", "Y")]
        book.replace(goals, user: user, at: UnixTime(2), before: 9)
        store.save(book, .silent)
        let other = TemporaryFolder()
        let files = try ClusterFiles(leader.site, folder: other.path)
        let found = RelayStore(folder: other.path, files: files).goals()
        let water = try BeeminderClientTests.goal("water")
        expect(found.current(water, in: 8).description, is: "water2")
        expect(found.current(water, in: 9), is: water)
    }

    @Test func `settings that cannot be read whole are no empty settings`() throws {
        let etcd = try RunningEtcd()
        let leader = try lead(etcd)
        try leader.files.write(bytes("x"), to: path("devices.json"))
        let (term, calls) = (leader.term, etcd.calls.count)
        etcd.set { _, count in
            if count > calls + 2 { term.finish() }
            return .says(200, "{}")
        }
        #expect(throws: StoreFault.self) {
            try ClusterFiles(leader.site, folder: folder.path)
        }
    }
}
