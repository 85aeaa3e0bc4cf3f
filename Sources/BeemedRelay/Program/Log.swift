import BeemedDomain
import RelayHTTP
import Synchronization

/// One line an event, `key=value`, on standard error. Never a token: nothing that may hold one is
/// given to it.
struct Log: Sendable {
    /// How much is said.
    enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    let level: Level
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes one line, without its end.
    init(level: Level = .info, write: @escaping @Sendable (String) -> Void) {
        self.level = level
        self.write = write
    }

    /// To standard error.
    static let standard = Log { Console.error($0) }

    func debug(_ message: StaticString, _ pairs: [(String, String)]) {
        say(.debug, message, pairs)
    }

    func info(_ message: StaticString, _ pairs: [(String, String)]) {
        say(.info, message, pairs)
    }

    func warning(_ message: StaticString, _ pairs: [(String, String)]) {
        say(.warning, message, pairs)
    }

    func error(_ message: StaticString, _ pairs: [(String, String)]) {
        say(.error, message, pairs)
    }

    private func say(_ level: Level, _ message: StaticString, _ pairs: [(String, String)]) {
        guard level >= self.level else { return }
        var line = "time=\(Instant.wallNanoseconds / 1_000_000_000) level=\(level) msg="
        line += Log.quoted("\(message)")
        for (name, value) in pairs { line += " \(name)=\(Log.quoted(value))" }
        write(line)
    }

    /// A value that could be mistaken for the next pair, or for the next line, is quoted.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        if isPlain, !text.isEmpty { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<" ", "\u{7F}": quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Log {
    /// What came of an attempt to deliver.
    func delivery(_ shipment: Shipment, _ outcome: Outcome) {
        let pairs = [("goal", "\(shipment.goal)"), ("requestid", shipment.requestID)]
        switch outcome {
        case .delivered(.updated, _):
            warning("Beeminder had this request id with other contents", pairs)
        case .delivered(let how, _): info("delivered", pairs + [("how", how.rawValue)])
        case .refused(let status, let why):
            warning("refused by Beeminder", pairs + [("status", "\(status)"), ("why", why)])
        case .unclear(let why), .unreachable(let why), .misdirected(let why):
            warning("not delivered yet", pairs + [("why", why)])
        case .busy: warning("Beeminder asks to wait", pairs)
        case .unauthorized: error("Beeminder does not take the token; sign in again", pairs)
        case .noSuchGoal: warning("Beeminder knows no such goal", pairs)
        }
    }

    /// What came of asking for the goals.
    func goals(_ answer: GoalAnswer) {
        switch answer {
        case .goals(let goals, let user):
            info("goals", [("user", user), ("count", "\(goals.count)")])
        case .unauthorized: error("Beeminder does not take the token; sign in again", [])
        case .unclear(let why): warning("goals not fetched", [("why", why)])
        }
    }
}
