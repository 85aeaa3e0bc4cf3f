import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// The goal and the value that a device may leave out, and the time when it was last seen.
struct DeviceTests {
    private let folder = TemporaryFolder()

    struct Row: CustomTestStringConvertible, Sendable {
        var device: String
        var path = "/log"
        var body = ""
        var goal: String
        var value: Double
        var testDescription: String { "\(device) \(path) \(body)" }
    }

    static let rows = [
        Row(device: #"{"name":"a","goals":["water"]}"#, goal: "water", value: 1),
        Row(device: #"{"name":"b","goal":"water"}"#, goal: "water", value: 1),
        Row(device: #"{"name":"c","goal":"water","value":0.25}"#, goal: "water", value: 0.25),
        Row(
            device: #"{"name":"d","goal":"water","goals":["pushups","water"],"value":-2}"#,
            goal: "water", value: -2),
        Row(device: #"{"name":"e","value":5}"#, path: "/log/pushups", goal: "pushups", value: 5),
        Row(
            device: #"{"name":"f","goal":"water","value":5}"#, path: "/log/pushups", body: "+2",
            goal: "pushups", value: 2),
        Row(
            device: #"{"name":"g","goal":"water","value":5}"#, body: "goal=pushups",
            goal: "pushups", value: 5),
        Row(
            device: #"{"name":"h","goal":"water","value":5}"#, body: #"{"comment":"x"}"#,
            goal: "water", value: 5),
    ]

    @Test func `an empty press means what the device was made for`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for row in DeviceTests.rows {
            let token = try relay.add(row.device)
            let answer = try members(try relay.call("POST", row.path, row.body, token: token).body)
            expect(answer["goal"] as? String, is: row.goal, "\(row.testDescription)")
            expect(answer["value"] as? Double, is: row.value, "\(row.testDescription)")
        }
    }

    @Test(arguments: [
        #"{"name":"a","goal":"no goal"}"#, #"{"name":"a","goal":"water","goals":["pushups"]}"#,
        #"{"name":"a","can":["fly"]}"#, #"{"name":"a.b"}"#,
    ])
    func `a device that makes no sense is not made`(_ device: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let answer = try relay.call("POST", "/devices", device, token: relay.owner)
        expect(answer.status, is: 422)
        try expect(members(answer.body)["code"] as? String, is: "unusable_device")
    }

    @Test func `a device is last seen when it shows its token, also after a restart`() throws {
        let first = try RunningRelayProgram(in: folder)
        let token = try first.add(#"{"name":"button","goal":"water"}"#)
        func seen(_ relay: RunningRelayProgram) throws -> Int? {
            let body = try relay.call("GET", "/devices", token: relay.owner).body
            let all = try members(body)["devices"] as? [NSDictionary]
            return all?.first { $0["name"] as? String == "button" }?["lastSeen"] as? Int
        }
        try expect(seen(first) == nil)
        let before = Int(Instant.wallNanoseconds / 1_000_000_000)
        try expect(first.call("POST", "/log", token: token).status, is: 200)
        let time = try require(try seen(first))
        expect(time >= before)
        first.stop()
        let copy = try folder.copy()
        let second = try RunningRelayProgram(in: copy)
        try expect(seen(second), is: time)
    }

    @Test func `what was seen is saved once in a while, of the devices that there are`() throws {
        var book = DeviceBook()
        _ = try book.add(name: "a", rights: ["log"], goals: nil)
        let identity = "\(book.devices[0].identity)"
        var seen = LastSeen([identity: 5, "a": 6, "gone": 7])
        expect(seen.time(of: book.devices[0]), is: 5)
        var moment = Moment(wall: UnixTime(100), monotonic: Monotonic(milliseconds: 0))
        expect(seen.saveAt == nil)
        seen.note(book.devices[0], at: moment)
        let due = seen.saveAt
        moment.monotonic = Monotonic(milliseconds: 9)
        moment.wall = UnixTime(101)
        seen.note(book.devices[0], at: moment)
        expect(seen.saveAt, is: due, "a busy device does not put it off")
        expect(seen.takeUnsaved(of: book), is: [identity: 101])
        expect(seen.saveAt == nil && seen.takeUnsaved(of: book) == nil)
    }
}
