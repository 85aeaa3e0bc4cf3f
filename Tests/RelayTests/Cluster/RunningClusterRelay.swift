import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay
@testable import RelayCluster
@testable import RelayTrunk

/// A relay of a cluster inside the test's process, on a loop and a port of its own.
final class RunningClusterRelay: Sendable {
    let endpoint: Endpoint
    private let program: ClusterProgram
    private let folder: TemporaryFolder
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - arguments: settings, with `--store`.
    ///   - lease: in seconds; short only where its end is waited for, since a relay that gets no
    ///     processor for so long does not lead any more.
    init(
        in folder: TemporaryFolder, _ beeminder: RunningBeeminder, _ arguments: [String],
        lease: Int = 60, token: String = RunningBeeminder.token
    ) throws {
        self.folder = folder
        let line = [
            "--data", folder.path, "--listen", "127.0.0.1:0", "--beeminder-url", beeminder.base,
            "--rate-limit", "off", "--lease", "\(lease)",
        ]
        let spec = try require(CommandTable.command(["serve"]))
        let invocation = try Invocation(
            try Arguments(line + arguments, for: spec), [:], needing: .start, leaves: Leaf.all)
        let settings = invocation.settings
        let port = try OpenPort(settings.listen)
        endpoint = port.endpoint
        let start = RelayStart(
            invocation, try RelayFolder(folder.path), .personalToken(token), on: port)
        program = try ClusterProgram(
            start, at: try require(settings.cluster.store), log: .silent)
        Thread { [program, ended] in
            _ = program.turn()
            ended.signal()
        }.start()
    }

    /// Begins to stop.
    func beginStop() { program.stop() }

    /// Waits until it has stopped, after `beginStop()`.
    func awaitStop() { expect(ended.awaitSignal(), "the relay has not stopped") }

    /// The token of the owner. The relay must lead, or have led.
    var owner: String {
        get throws {
            let text = try String(contentsOfFile: "\(folder.path)/owner-token", encoding: .utf8)
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Sends one request, as `Client.call`.
    func call(
        _ method: String, _ path: String, _ body: String = "", token: String = "-",
        fields: [String] = []
    ) -> (status: Int, body: String, head: String) {
        Client.call(endpoint, method, path, body, token: token, fields: fields)
    }

    /// Waits until its health says this, or false on a hang.
    func awaitHealth(_ words: String) -> Bool {
        HangLimit.reaches { call("GET", "/healthz").body.contains(words) }
    }
}
