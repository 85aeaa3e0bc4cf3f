import Foundation
import Testing

@testable import BeemedRelay

/// `connect`, `disconnect` and `status`, as they are run.
@Suite(.timeLimit(.minutes(5))) struct AccountCommandTests {
    private let folder = TemporaryFolder()

    private func run(_ arguments: String...) throws -> (code: Int32, output: String) {
        try Executable.run(arguments + ["--data", folder.path])
    }

    @Test func `tells of a relay that runs, its account and its queue`() throws {
        let relay = try RunningRelayProgram(
            in: folder, beeminder: "http://127.0.0.1:9", account: nil)
        let nobody = try run("status")
        #expect(nobody.code == 69)
        #expect(nobody.output.contains("account     none"))
        let account = #"{"accessToken":"t0ken","username":"alice"}"#
        _ = try relay.call("PUT", "/connection", account, token: relay.owner)
        let status = try run("status")
        #expect(status.output.contains("account     alice, by OAuth: not verified yet"))
        #expect(status.output.contains("queue       0 queued, 0 refused"))
        let json = try members(try run("status", "--json").output)
        #expect((json["connection"] as? NSDictionary)?["user"] as? String == "alice")
        #expect(!"\(json) \(status.output)".contains("t0ken"))
        #expect(try run("disconnect").code == 0)
        #expect(try run("status").output.contains("account     none"))
        relay.stop()
    }

    @Test func `tells of a folder on which none runs`() throws {
        let stopped = try run("status")
        #expect(stopped.code == 69)
        #expect(stopped.output.contains("not running"))
        #expect(try run("status", "--json").output == #"{"running":false,"connected":false}"#)
        let connected = try Executable.run(
            ["connect", "--data", folder.path, "--beeminder-url", "http://127.0.0.1:9"],
            environment: ["BEEMINDER_AUTH_TOKEN": "abc"])
        #expect(connected.code == 0)
        #expect(try run("status", "--json").output == #"{"running":false,"connected":true}"#)
        #expect(try run("disconnect").code == 0)
        #expect(try run("status", "--json").output == #"{"running":false,"connected":false}"#)
    }
}
