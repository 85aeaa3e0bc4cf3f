import Foundation

/// A program of this machine that a test needs and the toolchain does not bring.
struct Tool: Sendable {
    private let path: String

    /// Looks for it where the shell would.
    init?(_ name: String) {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let candidates = folders.split(separator: ":").map { "\($0)/\(name)" }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile(atPath:))
        else { return nil }
        self.path = path
    }

    /// Whether a test that needs it is to run: it is skipped where the tool is missing, and fails
    /// there in CI.
    static func isWanted(_ names: String...) -> Bool {
        names.allSatisfy { Tool($0) != nil }
            || ProcessInfo.processInfo.environment["CI"]?.isEmpty == false
    }

    /// Runs it to its end.
    ///
    /// - Returns: its exit code, and what it printed, errors included.
    func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String) {
        let output = Pipe()
        let process = try ChildProcess(
            path, arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: .nullDevice, output: output.fileHandleForWriting,
            errors: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        return (process.wait() ?? -SIGKILL, String(decoding: bytes, as: UTF8.self))
    }
}
