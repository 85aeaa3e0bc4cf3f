import Foundation
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// `journal copy` and `journal verify` between folders and etcd.
struct JournalCopyTests {
    private let folder = TemporaryFolder()
    private let other = TemporaryFolder()

    private func run(_ words: String...) throws -> (code: Int32, output: String, complaint: String)
    {
        try Executable.run(words, input: "")
    }

    private func start(in folder: TemporaryFolder) throws -> RunningRelayProgram {
        try RunningRelayProgram(in: folder)
    }

    /// A folder with three presses, one of them undone, a preset and a device.
    private func use() throws -> (events: [NSDictionary], token: String) {
        let relay = try start(in: folder)
        for number in 1...3 {
            let press = #"{"id":"p-\#(number)","value":\#(number),"comment":"grün"}"#
            try expect(relay.call("POST", "/log/water", press).status, is: 200)
        }
        try expect(relay.call("DELETE", "/events/p-2").status, is: 200)
        let preset = #"{"goal":"water","value":2}"#
        _ = try relay.call("PUT", "/presets/tea", preset, token: relay.owner)
        let events = try events(of: relay)
        expect(events.count, is: 3)
        return (events, relay.token)
    }

    /// The events, without what each relay tries by itself.
    private func events(of relay: RunningRelayProgram) throws -> [NSDictionary] {
        let body = try members(try relay.call("GET", "/events", token: relay.owner).body)
        let names = [
            "id", "device", "goal", "value", "comment", "timestamp", "timeFrom", "received",
            "requestid",
        ]
        return try require(body["events"] as? [[String: Any]])
            .map { event in event.filter { names.contains($0.key) } as NSDictionary }
    }

    private func bytes(_ name: String, in folder: TemporaryFolder) throws -> [UInt8]? {
        try PrivateFile.read("\(folder.path)/\(name)")
    }

    @Test func `a journal is the same after a move to etcd and back`() throws {
        let etcd = try RunningEtcd()
        let url = "etcd://\(etcd.endpoint)/home"
        let (events, token) = try use()
        let up = try run("journal", "copy", folder.path, url)
        expect(up.code == 0 && up.output.hasPrefix("3 events are in etcd now"), "\(up)")
        let verified = try run("journal", "verify", url)
        expect(
            verified.code == 0 && verified.output.contains("2 events are pending"), "\(verified)")
        let json = try run("journal", "verify", "--json", url)
        expect(json.code == 0 && json.output.contains("\"alarm\""), "\(json)")

        let down = try run("journal", "copy", url, other.path)
        expect(down.code == 0 && down.output.hasPrefix("3 events are in"), "\(down)")
        for name in ["devices.json", "presets.json", "owner-token", "owner-generation"] {
            let copied = try bytes(name, in: other)
            try expect(copied != nil && copied == bytes(name, in: folder), "\(name)")
        }
        try expect(run("journal", "verify", other.path).code, is: 0)
        let again = try run("journal", "copy", other.path, "etcd://\(etcd.endpoint)/second")
        expect(again.code, is: 0, "\(again)")
        let keys = [StoreKeys(store: "home"), StoreKeys(store: "second")]
        for name in [\StoreKeys.begin, \StoreKeys.format] {
            expect(
                etcd.data.text(keys[0][keyPath: name]), is: etcd.data.text(keys[1][keyPath: name]))
        }
        let parts = keys.map { etcd.data.text($0.batch(SequenceNumber(1))) }
        expect(parts[0] != nil && parts[0] == parts[1])

        #expect(throws: Failure.self) { _ = try start(in: other) }
        let third = TemporaryFolder()
        let back = try run("journal", "copy", "etcd://\(etcd.endpoint)/second", third.path)
        expect(back.code, is: 0, "\(back)")
        let relay = try start(in: third)
        try expect(self.events(of: relay), is: events)
        try expect(relay.call("GET", "/presets", token: relay.owner).body.contains("tea"))
        try expect(relay.call("GET", "/events/p-1", token: token).status, is: 200)
    }

    @Test func `a copy overwrites nothing`() throws {
        let etcd = try RunningEtcd()
        let url = "etcd://\(etcd.endpoint)/home"
        _ = try use()
        try expect(run("journal", "copy", folder.path, url).code, is: 0)
        let before = etcd.data.with { $0.entries }
        let up = try run("journal", "copy", folder.path, url)
        expect(up.code == 65 && up.complaint.contains("has a journal already"), "\(up)")
        expect(etcd.data.with { $0.entries }, is: before)
        let devices = try bytes("devices.json", in: folder)
        let down = try run("journal", "copy", url, folder.path)
        expect(down.code == 65 && down.complaint.contains("name a new folder"), "\(down)")
        try expect(bytes("devices.json", in: folder), is: devices)
        let led = "etcd://\(etcd.endpoint)/led"
        etcd.data.with { state in
            let key = StoreKeys(store: "led").leader
            state.entries[key] = KeyValue(key, [1], revision: 9)
        }
        let busy = try run("journal", "copy", folder.path, led)
        expect(busy.code == 65 && busy.complaint.contains("in use by a relay"), "\(busy)")
        #expect(throws: Failure.self) { _ = try start(in: folder) }
        let relay = try start(in: other)
        defer { relay.stop() }
        try expect(run("journal", "copy", other.path, "\(url)2").code, is: 75)
    }

    @Test func `a copy that was interrupted can be repeated`() throws {
        let etcd = try RunningEtcd()
        let url = "etcd://\(etcd.endpoint)/home"
        _ = try use()
        let base = Data(StoreKeys(store: "home").begin.utf8).base64EncodedString()
        etcd.set { call, _ in
            call.body.contains(#""requestPut":{"key":"\#(base)""#) ? .says(503, "") : nil
        }
        let failed = try run("journal", "copy", folder.path, url)
        expect(failed.code == 65 && failed.complaint.contains("does not answer"), "\(failed)")
        try expect(run("journal", "verify", url).code, is: 66)
        etcd.set(nil)
        let again = try run("journal", "copy", folder.path, url)
        expect(again.code, is: 0, "\(again)")
        try expect(run("journal", "verify", url).code, is: 0)
    }

    @Test func `etcd does not choose where files are written`() throws {
        let etcd = try RunningEtcd()
        _ = try use()
        try expect(run("journal", "copy", folder.path, "etcd://\(etcd.endpoint)/home").code, is: 0)
        let name = UUID().uuidString
        etcd.data.with { state in
            let names = [
                "../\(name)-1", "health/../../\(name)-2", "/tmp/\(name)-3", "\(name)-4",
                "account.json", "health/.\(name)-5", "health/ok.json",
            ]
            for name in names {
                let key = StoreKeys(store: "home").setting(name)
                state.entries[key] = KeyValue(key, [1], revision: 9)
            }
        }
        try expect(run("journal", "copy", "etcd://\(etcd.endpoint)/home", other.path).code, is: 0)
        let beside = try FileManager.default.contentsOfDirectory(
            atPath: (other.path as NSString).deletingLastPathComponent)
        expect(!beside.contains { $0.hasPrefix(name) })
        expect(!FileManager.default.fileExists(atPath: "/tmp/\(name)-3"))
        let inside = FileManager.default.subpaths(atPath: other.path) ?? []
        expect(!inside.contains { $0.contains(name) || $0 == "account.json" }, "\(inside)")
        expect(inside.contains("health/ok.json"))
    }

    @Test func `what cannot be copied is told with its reason`() throws {
        let etcd = try RunningEtcd()
        let url = "etcd://\(etcd.endpoint)/home"
        let cases: [(from: String, to: String, code: Int32, words: String)] = [
            (folder.path, other.path, 64, "one of both is a folder"),
            (url, url, 64, "one of both is a folder"),
            ("etcd://pi/home", other.path, 64, "etcd://HOST:PORT"),
            (folder.path, "etcd//x", 64, "one of both is a folder"),
            (folder.path, "http://pi:2379/home", 64, "etcd://HOST:PORT"),
            (folder.path, url, 66, "is not a data folder"),
            (url, other.path, 65, "there is no journal of that name"),
            ("etcd://127.0.0.1:9/home", other.path, 65, "etcd does not answer"),
        ]
        for (from, to, code, words) in cases {
            let done = try run("journal", "copy", from, to)
            expect(done.code == code && done.complaint.contains(words), "\(done)")
        }
        let missing = try run("journal", "verify", url)
        expect(missing.code == 66 && missing.complaint.contains("no journal 'home'"), "\(missing)")
        let mistaken = try run("journal", "verify", "etcd://pi/home")
        expect(mistaken.code == 64 && mistaken.complaint.contains("etcd://HOST:PORT"))
    }

    @Test func `damage in etcd is found`() throws {
        let etcd = try RunningEtcd()
        let url = "etcd://\(etcd.endpoint)/home"
        _ = try use()
        try expect(run("journal", "copy", folder.path, url).code, is: 0)
        let part = StoreKeys(store: "home").batch(SequenceNumber(1))
        etcd.data.with { state in
            let place = (state.entries[part]?.value.count ?? 0) / 2
            state.entries[part]?.value[place] ^= 1
        }
        let verified = try run("journal", "verify", url)
        expect(verified.code, is: 65, "\(verified)")
    }
}
