import Foundation
import Testing

@testable import BeeminderSimulator

/// Two relays that know the same device (docs/more-than-one.md).
@Suite struct TwoRelaysTests {
    private let folders = [TemporaryFolder(), TemporaryFolder()]

    @Test func `a press that is sent again to the other relay is one datapoint`() async throws {
        let added = try Executable.run(["device", "add", "button", "--data", folders[0].path])
        let exported = try Executable.run(["device", "export", "--data", folders[0].path])
        let imported = try Executable.run(
            ["device", "import", "--data", folders[1].path], input: exported.output + "\n")
        #expect(imported.code == 0)
        let beeminder = try RunningBeeminder()
        let relays = try folders.map { try RunningRelayProgram(in: $0, beeminder) }
        let time = Int(Date().timeIntervalSince1970) - 3_600
        let press = #"{"id":"p-1","value":3,"timestamp":\#(time)}"#
        var names: [String] = []
        for relay in relays {
            // The answer of the first is lost; the device sends the same again.
            let answer = try relay.call("POST", "/log/water", press, token: added.output)
            #expect(answer.status == 200)
            names.append(try #require(try members(answer.body)["requestid"] as? String))
        }
        #expect(Set(names).count == 1)
        for relay in relays {
            while try members(try relay.call("GET", "/events/p-1", token: added.output).body)[
                "state"] as? String != "delivered"
            {}
        }
        let posted = await beeminder.posted(to: "water")
        #expect(posted.map(\.requestID) == [names[0]])
        #expect(posted.map(\.value) == [3])
        #expect(posted.map(\.timestamp) == [time])
        // A press that one relay alone has seen comes from that one.
        let other = #"{"id":"p-2","timestamp":\#(time + 60)}"#
        relays[0].stop()
        #expect(
            try relays[1].call("POST", "/log/water", other, token: added.output).status == 200)
        #expect(await beeminder.awaitPosted(2, to: ["water"]))
        #expect(await beeminder.posted(to: "water").last?.timestamp == time + 60)
        relays[1].stop()
    }
}
