import Libc

/// The program's exit codes (sysexits(3)).
package enum ExitCode: Int32, Sendable {
    case ok = 0
    /// The command line is invalid.
    case usage = 64
    /// Input data is invalid.
    case dataError = 65
    /// The input does not exist.
    case noInput = 66
    /// A relay is required and does not run.
    case unavailable = 69
    /// Internal error.
    case software = 70
    /// The system refuses a basic operation.
    case osError = 71
    /// The disk failed.
    case ioError = 74
    /// Another process has locked the data folder; try again later.
    case tempFail = 75
    /// Permissions are unsafe or insufficient.
    case noPermission = 77
    /// A setting is invalid, or a file belongs to another version.
    case config = 78

    /// Ends the process at once. Everything durable is written and output is not buffered; the
    /// handlers of `exit` would free what other threads still use: OpenSSL's take its locks away
    /// from a request to Beeminder that is under way.
    package static func exit(_ code: ExitCode) -> Never { _exit(code.rawValue) }
}

/// A failed command: its exit code, and an error text with the next step.
package struct Failure: Error, Sendable {
    /// The exit code of a command that ends with this failure.
    package let code: ExitCode
    /// The words for the user.
    package let message: String

    /// A failure with its words for the user.
    package init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
