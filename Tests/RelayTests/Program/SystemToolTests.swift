import Foundation
import Testing

@testable import RelayTrunk

/// Programs of the system that commands call.
struct SystemToolTests {
    @Test func `a tool that succeeds is waited for`() throws {
        let path = TestProcess.folder + "beemed-tool-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try SystemTool(name: "touch").call([path])
        expect(FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [
        (["sh", "-c", "exit 3"], ExitCode.unavailable),
        (["sh", "-c", "kill -KILL $$"], .unavailable), (["beemed-none"], .osError),
    ])
    func `a tool that fails is a failure`(_ words: [String], _ code: ExitCode) {
        do throws(Failure) {
            try SystemTool(name: words[0]).call(Array(words.dropFirst()))
            Issue.record("it succeeded")
        } catch {
            expect(error.code, is: code)
            expect(error.message.contains(words[0]))
        }
    }

    @Test func `the members of an object may be of any type`() {
        let bytes = JSONMembers(["b": ["x"], "a": 3.0, "c": true, "d": "/\"é"]).bytes
        expect(
            String(decoding: bytes, as: UTF8.self), is: #"{"a":3,"b":["x"],"c":true,"d":"/\"é"}"#)
    }
}
