import Foundation
import RelayHTTP
import Testing

/// The program as it is run: a process of its own.
final class Executable {
    /// Where the build has put it: beside the tests.
    static let path: String = {
        let bundle = CommandLine.arguments[0]
        let folders = [
            (bundle as NSString).deletingLastPathComponent,
            Bundle.main.bundlePath,
            (Bundle.main.executablePath.map { $0 as NSString } ?? "").deletingLastPathComponent,
        ]
        let candidates = folders.map { "\($0)/beemed-relay" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
            ?? candidates[0]
    }()

    private let process: ChildProcess
    private let arguments: [String]
    private let output = Pipe()
    private var received = Data()
    /// Where its standard error goes. Not through a pipe: a talkative process would wait for us,
    /// and another one that starts meanwhile would hold it open.
    private let complaints: String

    /// - Parameters:
    ///   - input: what it reads from standard input; nil leaves ours to it.
    ///   - terminal: what its standard output is; nil for a pipe, which `line` reads.
    ///   - keyboard: what its standard input is; nil for `input`.
    ///   - errors: what its standard error is; nil for a file, which `log` reads.
    init(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
        terminal: Terminal? = nil, keyboard: Terminal? = nil, errors: Terminal? = nil
    ) throws {
        self.arguments = arguments
        let own = ["PATH": "/usr/bin:/bin", "TMPDIR": TestProcess.folder]
        let name = TestProcess.folder + "beemed-\(UUID().uuidString)"
        complaints = name + ".errors"
        try Data().write(to: URL(fileURLWithPath: complaints))
        let path = name + ".input"
        defer { try? FileManager.default.removeItem(atPath: path) }
        if let input { try Data(input.utf8).write(to: URL(fileURLWithPath: path)) }
        process = try ChildProcess(
            Executable.path, arguments, environment: own.merging(environment) { $1 },
            input: keyboard?.programEnd ?? FileHandle(forReadingAtPath: path),
            output: terminal?.programEnd ?? output.fileHandleForWriting,
            errors: errors?.programEnd ?? FileHandle(forWritingAtPath: complaints))
        // Its own end alone is left, so that a reader sees when it has ended.
        try output.fileHandleForWriting.close()
    }

    /// The text that the program has written to standard error so far.
    var log: String {
        String(decoding: FileManager.default.contents(atPath: complaints) ?? Data(), as: UTF8.self)
    }

    var identifier: Int32 { process.identifier }

    /// The next line of its standard output; nil when there is none to come.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received = Data(received[(end + 1)...]) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard HangLimit.canRead(output.fileHandleForReading.fileDescriptor) else { return nil }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            received += more
        }
    }

    func send(_ signal: Int32) {
        process.send(signal)
    }

    /// Waits for its end.
    ///
    /// - Returns: its exit code, or minus the signal that ended it.
    func wait() -> Int32 {
        if let code = process.wait() { return code }
        Issue.record("\(arguments) has not ended; its log: \(log)")
        send(SIGKILL)
        return -SIGKILL
    }

    /// Asks it to end, and waits for that.
    ///
    /// - Returns: as `wait`.
    func terminate() -> Int32 {
        send(SIGTERM)
        return wait()
    }

    /// A relay on this folder, of an account that is not asked for.
    ///
    /// - Parameter beeminder: its address; if none is given, nobody is there.
    static func relay(
        on folder: TemporaryFolder, beeminder: String = "http://127.0.0.1:9", token: String = "x",
        terminal: Terminal? = nil
    ) throws -> Executable {
        try Executable(
            [
                "serve", "--data", folder.path, "--listen", "127.0.0.1:0", "--beeminder-url",
                beeminder, "--rate-limit", "off",
            ], environment: ["BEEMINDER_AUTH_TOKEN": token], terminal: terminal)
    }

    /// Where a relay listens, as the first line of its output says.
    static func endpoint(_ first: String?) throws -> Endpoint {
        let prefix = "Listening on http://"
        let line = try require(first)
        expect(line.hasPrefix(prefix))
        return try require(Endpoint(String(line.dropFirst(prefix.count))))
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String) {
        let command = try Executable(arguments, environment: environment)
        var lines: [String] = []
        while let line = command.line() { lines.append(line) }
        return (command.wait(), lines.joined(separator: "\n"))
    }

    /// Runs a command to its end, with that on its standard input.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String
    ) throws -> (code: Int32, output: String, complaint: String) {
        let command = try Executable(arguments, environment: environment, input: input)
        var lines: [String] = []
        while let line = command.line() { lines.append(line) }
        let code = command.wait()
        return (code, lines.joined(separator: "\n"), command.log)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: complaints)
        send(SIGKILL)
    }
}
