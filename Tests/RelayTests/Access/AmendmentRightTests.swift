import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// Which presses a device that is limited to goals may undo and retry.
struct AmendmentRightTests {
    private let folder = TemporaryFolder()

    private func button(of goal: String, _ relay: RunningRelayProgram) throws -> String {
        let today = Daystamp(number: Int64(Date().timeIntervalSince1970) / 86_400)
        let key = Array("reminders \(TokenDigest(of: relay.owner).rawValue)".utf8)
        return ButtonToken(goal: try require(GoalSlug(goal)), day: today).text(key: key)
    }

    @Test func `a button of one goal does not reach another goal's press`() async throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        let (water, pushups) = (try button(of: "water", relay), try button(of: "pushups", relay))
        let press = try relay.call("POST", "/log/water", #"{"id":"w1"}"#, token: water)
        expect(press.status, is: 200, "\(press.body)")
        for (method, path) in [("DELETE", "/events/w1"), ("POST", "/events/w1/retry")] {
            let answer = try relay.call(method, path, token: pushups)
            expect(answer.status, is: 403, "\(method): \(answer.body)")
        }
        try expect(relay.call("DELETE", "/events/w1", token: water).status, is: 200)
    }

    @Test func `a device that is limited to a preset may undo its presses`() async throws {
        let relay = try RunningRelayProgram(in: folder, RunningBeeminder())
        let owner = relay.owner
        try expect(
            relay.call("PUT", "/presets/glass", #"{"goal":"water"}"#, token: owner).status,
            is: 200)
        let token = try relay.add(#"{"name":"esp","goals":["glass"]}"#)
        try expect(relay.call("POST", "/log/glass", #"{"id":"g1"}"#, token: token).status, is: 200)
        try expect(relay.call("DELETE", "/events/g1", token: token).status, is: 200)
    }

    @Test(arguments: [0.2, 59.1, 1e300, .infinity, .nan])
    func `a wait is told in whole seconds, a day at most`(_ seconds: Double) throws {
        let fields = "\(Problem.tooMany(retryAfter: seconds).fields)"
        let told = try require(fields.firstMatch(of: /\d+/).flatMap { Int($0.output) })
        expect((1...86_400).contains(told))
    }
}
