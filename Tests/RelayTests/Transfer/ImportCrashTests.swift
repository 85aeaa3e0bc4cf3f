import Foundation
import RelayHTTP
import Testing

/// Imports of the real program, which is killed in the middle.
@Suite(.serialized) struct ImportCrashTests {
    private let folder = TemporaryFolder()
    private static let rows = 2_000
    private static let file = (0..<rows).map { "2024-01-02,\($0),\n" }.joined()

    private func serve() throws -> (Executable, Endpoint) {
        let program = try Executable.relay(on: folder)
        return (program, try Executable.endpoint(program.line()))
    }

    private func owner() throws -> String {
        let text = try String(contentsOfFile: "\(folder.path)/owner-token", encoding: .utf8)
        return text.trimmingCharacters(in: .newlines)
    }

    private func send(_ request: String, _ body: String = "", to endpoint: Endpoint) throws
        -> Client
    {
        let client = Client(endpoint)
        client.send(
            "\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(try owner())\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return client
    }

    private func state(_ endpoint: Endpoint) throws -> (state: String?, done: Int) {
        let body = try require(try send("GET /import", to: endpoint).body())
        let progress = try members(body)
        return (progress["state"] as? String, progress["done"] as? Int ?? 0)
    }

    /// The number of events that wait.
    private func count(_ endpoint: Endpoint) throws -> Int {
        let health = try members(try require(try send("GET /healthz", to: endpoint).body()))
        return try require(health["queued"] as? Int)
    }

    @Test(arguments: ["reading", "checking", "comparing", "taking"])
    func `a kill in the middle loses and doubles no line, and the same file completes them`(
        _ moment: String
    ) throws {
        let (killed, endpoint) = try serve()
        let client = try send("POST /import?goal=water", ImportCrashTests.file, to: endpoint)
        while true {
            let now = try state(endpoint)
            if now.state == moment, moment != "taking" || now.done > 300 { break }
            // On a fast machine a short stage passes between two looks.
            if now.state == "idle" { break }
        }
        killed.send(SIGKILL)
        expect(killed.wait(), is: -SIGKILL)
        _ = client
        let (program, again) = try serve()
        let found = try count(again)
        let resent = try send("POST /import?goal=water", ImportCrashTests.file, to: again)
        let report = try members(try require(resent.body()))
        expect(report["taken"] as? Int, is: ImportCrashTests.rows - found)
        expect(report["known"] as? Int, is: found)
        try expect(count(again), is: ImportCrashTests.rows)
        program.send(SIGTERM)
        expect(program.wait(), is: 0)
    }
}
