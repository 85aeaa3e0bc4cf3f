import BeemedDomain
import Foundation
import Libc

extension String {
    /// A word of a shell's command line, whatever is in it.
    package var inShellQuotes: String { "'\(replacing("'", with: "'\\''"))'" }
}

/// A program of the system that a command calls, such as `systemctl`.
package struct SystemTool {
    /// Its name, which is looked up in `PATH`.
    package let name: String

    /// A tool by its name.
    package init(name: String) { self.name = name }

    /// The tool's file; nil when there is none.
    package var file: String? { SystemTool.file(of: name) }

    /// The file of that name in `PATH`; nil when there is none.
    package static func file(of name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs the tool with its output to an open file, and waits for its end.
    package func call(
        _ arguments: [String], output: Int32 = STDERR_FILENO
    ) throws(Failure) {
        let line = ([name] + arguments).joined(separator: " ")
        guard let file else { throw Failure(.osError, "'\(line)': there is no \(name)") }
        #if !os(Linux)
            var actions = unsafe posix_spawn_file_actions_t?.none
        #else
            var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        // The tar of macOS adds files of its own unless it is told not to.
        let environment =
            ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
            + ["COPYFILE_DISABLE=1"]
        var process = pid_t()
        let status = unsafe SystemTool.withPointers([name] + arguments) { arguments in
            unsafe SystemTool.withPointers(environment) { environment in
                unsafe posix_spawn(&process, file, &actions, nil, arguments, environment)
            }
        }
        guard status == 0 else {
            throw Failure(.osError, "'\(line)' cannot be run: \(DiskError("spawn", code: status))")
        }
        var end: Int32 = 0
        while unsafe waitpid(process, &end, 0) < 0, errno == EINTR {}
        guard end == 0 else { throw Failure(.unavailable, "'\(line)' failed; it says why above") }
    }

    /// Calls the body with the texts as C takes lists of them: a null pointer is the end.
    private static func withPointers<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(&pointers)
    }
}
