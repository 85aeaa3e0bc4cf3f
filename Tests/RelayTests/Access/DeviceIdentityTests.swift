import BeemedDomain
import Foundation
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// A device that is removed and added again, or that two relays have, over real sockets to one
/// simulated Beeminder.
struct ReplacedDeviceTests {
    private let folder = TemporaryFolder()

    private func add(_ relay: RunningRelayProgram, _ name: String = "kitchen") throws -> String {
        try relay.add(#"{"name":"\#(name)"}"#)
    }

    private func press(
        _ relay: RunningRelayProgram, _ token: String, value: Int
    ) throws -> NSDictionary {
        let body = #"{"id":"1","value":\#(value)}"#
        let answer = try relay.call("POST", "/log/water", body, token: token)
        expect(answer.status, is: 200, "\(answer.body)")
        return try members(answer.body)
    }

    private func requestID(
        _ relay: RunningRelayProgram, _ path: String, _ token: String
    ) throws -> String {
        let answer = try relay.call("GET", path, token: token)
        expect(answer.status, is: 200, "\(path): \(answer.body)")
        return try require(try members(answer.body)["requestid"] as? String)
    }

    @Test func `a button that replaces another one presses anew`() async throws {
        let beeminder = try RunningBeeminder()
        let relay = try RunningRelayProgram(in: folder, beeminder)
        let first = try add(relay)
        try expect(press(relay, first, value: 1)["duplicate"] as? Bool, is: false)
        let old = try requestID(relay, "/events/1", first)
        expect(old.hasPrefix("kitchen-") && old.hasSuffix(".1"))
        try expect(relay.call("DELETE", "/devices/kitchen", token: relay.owner).status, is: 200)
        let second = try add(relay)
        try expect(press(relay, second, value: 2)["duplicate"] as? Bool, is: false)
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        await expect(Set(beeminder.posted(to: "water").map(\.value)), is: [1, 2])

        let new = try requestID(relay, "/events/1", second)
        expect(new != old)
        try expect(requestID(relay, "/events/kitchen.1", second), is: new)
        try expect(requestID(relay, "/events/\(new)", second), is: new)
        for method in ["GET", "DELETE"] {
            let answer = try relay.call(method, "/events/\(old)", token: second)
            expect(answer.status, is: 404, "\(method) of its predecessor's: \(answer.body)")
        }
        try expect(relay.call("POST", "/events/\(old)/retry", token: second).status, is: 404)
        let list = try relay.call("GET", "/events", token: second).body
        expect(list.contains(new) && !list.contains(old))
        try expect(!relay.call("GET", "/events?device=kitchen", token: second).body.contains(old))

        try expect(requestID(relay, "/events/kitchen.1", relay.owner), is: new)
        try expect(requestID(relay, "/events/\(old)", relay.owner), is: old)
        let all = try relay.call("GET", "/events?device=kitchen", token: relay.owner).body
        expect(all.contains(new) && all.contains(old))
        try expect(relay.call("DELETE", "/devices/kitchen", token: relay.owner).status, is: 200)
        try expect(requestID(relay, "/events/kitchen.1", relay.owner), is: new)
        try expect(relay.call("DELETE", "/events/\(old)", token: relay.owner).status, is: 200)
    }

    @Test func `another token does not make another device`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let first = try add(relay)
        try expect(press(relay, first, value: 1)["duplicate"] as? Bool, is: false)
        let answer = try relay.call("POST", "/devices/kitchen/rotate", token: relay.owner)
        let second = try require(try members(answer.body)["token"] as? String)
        try expect(relay.call("GET", "/events/1", token: first).status, is: 401)
        try expect(press(relay, second, value: 1)["duplicate"] as? Bool, is: true)
    }

    @Test func `a device that is new was never here`() throws {
        let relay = try RunningRelayProgram(in: folder)
        func seen() throws -> Any? {
            let body = try relay.call("GET", "/devices", token: relay.owner).body
            let list = try members(body)["devices"] as? [NSDictionary]
            return list?.first { $0["name"] as? String == "kitchen" }?["lastSeen"]
        }
        _ = try press(relay, try add(relay), value: 1)
        try expect(seen() != nil)
        try expect(relay.call("DELETE", "/devices/kitchen", token: relay.owner).status, is: 200)
        _ = try add(relay)
        try expect(seen() == nil)
    }

    @Test func `two relays with a device of one name make two datapoints`() async throws {
        let beeminder = try RunningBeeminder()
        let other = TemporaryFolder()
        for (folder, value) in [(folder, 1), (other, 2)] {
            let relay = try RunningRelayProgram(in: folder, beeminder)
            _ = try press(relay, try add(relay), value: value)
            // The owner's own presses too.
            _ = try press(relay, relay.owner, value: 10 * value)
            await expect(beeminder.awaitPosted(2 * value, to: ["water"]))
        }
        await expect(Set(beeminder.posted(to: "water").map(\.value)), is: [1, 2, 10, 20])
    }

    @Test func `the owner's own presses stay known after a restart`() throws {
        func relay(in folder: TemporaryFolder) throws -> RunningRelayProgram {
            try RunningRelayProgram(in: folder)
        }
        let first = try relay(in: folder)
        _ = try press(first, first.owner, value: 1)
        let id = try requestID(first, "/events/1", first.owner)
        expect(id.hasPrefix("owner-"))
        first.stop()
        let copy = try folder.copy()
        let second = try relay(in: copy)
        try expect(press(second, second.owner, value: 1)["duplicate"] as? Bool, is: true)
        try expect(requestID(second, "/events/owner.1", second.owner), is: id)
    }
}
