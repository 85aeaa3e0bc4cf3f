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

    /// Runs the tool with its output on standard error, and waits for its end. Ctrl-C meanwhile ends
    /// the tool alone, which is a failure of it.
    package func call(_ arguments: [String]) throws(Failure) {
        let line = ([name] + arguments).joined(separator: " ")
        guard let file else { throw Failure(.osError, "'\(line)': there is no \(name)") }
        let quoted = ([file] + arguments).map(\.inShellQuotes).joined(separator: " ")
        guard unsafe system("\(quoted) >&2") == 0 else {
            throw Failure(.unavailable, "'\(line)' failed; it says why above")
        }
    }
}
