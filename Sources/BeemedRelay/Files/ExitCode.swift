/// How the program ends (sysexits(3)).
enum ExitCode: Int32, Sendable {
    case ok = 0
    /// The command line makes no sense.
    case usage = 64
    /// Input data is wrong.
    case dataError = 65
    /// There is no such input.
    case noInput = 66
    /// A relay that is needed does not run.
    case unavailable = 69
    /// Something in here is wrong.
    case software = 70
    /// The system denies something basic.
    case osError = 71
    /// The disk fails.
    case ioError = 74
    /// Somebody else holds the data folder; try again later.
    case tempFail = 75
    /// Permissions are not safe or do not suffice.
    case noPermission = 77
    /// A setting or a file of another version.
    case config = 78
}

/// Why a command ends before its time: a code and a sentence with what to do.
struct Failure: Error, Sendable {
    let code: ExitCode
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
