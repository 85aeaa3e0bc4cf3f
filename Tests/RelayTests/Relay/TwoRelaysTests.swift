import Foundation
import Testing

@testable import BeeminderSimulator

/// Two relays that know the same device (docs/more-than-one.md).
struct TwoRelaysTests {
    private let folders = [TemporaryFolder(), TemporaryFolder()]

    @Test func `a press that is sent again to the other relay is one datapoint`() async throws {
        let added = try Executable.run(["device", "add", "button", "--data", folders[0].path])
        let exported = try Executable.run(["device", "export", "--data", folders[0].path])
        let imported = try Executable.run(
            ["device", "import", "--data", folders[1].path], input: exported.output + "\n")
        expect(imported.code, is: 0)
        let beeminder = try RunningBeeminder()
        let relays = try folders.map { try RunningRelayProgram(in: $0, beeminder) }
        let time = Int(Date().timeIntervalSince1970) - 3_600
        let press = #"{"id":"p-1","value":3,"timestamp":\#(time)}"#
        var names: [String] = []
        for relay in relays {
            // The answer of the first is lost; the device sends the same again.
            let answer = try relay.call("POST", "/log/water", press, token: added.output)
            expect(answer.status, is: 200)
            names.append(try require(try members(answer.body)["requestid"] as? String))
        }
        expect(Set(names).count, is: 1)
        for relay in relays {
            while try members(try relay.call("GET", "/events/p-1", token: added.output).body)[
                "state"] as? String != "delivered"
            {}
        }
        let posted = await beeminder.posted(to: "water")
        expect(posted.map(\.requestID), is: [names[0]])
        expect(posted.map(\.value), is: [3])
        expect(posted.map(\.timestamp), is: [time])
        // A press that one relay alone has seen comes from that one.
        let other = #"{"id":"p-2","timestamp":\#(time + 60)}"#
        relays[0].stop()
        try expect(relays[1].call("POST", "/log/water", other, token: added.output).status, is: 200)
        await expect(beeminder.awaitPosted(2, to: ["water"]))
        await expect(beeminder.posted(to: "water").last?.timestamp, is: time + 60)
        relays[1].stop()
    }
}
