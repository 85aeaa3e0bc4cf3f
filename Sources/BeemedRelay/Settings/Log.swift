import BeemedDomain
import RelayHTTP
import Synchronization

/// One line per event, `key=value`, on standard error. It never contains a token: callers pass no
/// text that may hold one.
struct Log: Sendable {
    /// The severity of a line.
    enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    let level: Level
    private let write: @Sendable (String) -> Void

    /// - Parameter write: receives one line, without its end.
    init(level: Level = .info, write: @escaping @Sendable (String) -> Void) {
        self.level = level
        self.write = write
    }

    /// Writes to standard error.
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

    /// Quotes a value that could be read as the next pair or the next line.
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
    /// Logs a delivery attempt. A result that all presses share is logged once: an outage costs one
    /// line per attempt, regardless of the number of pending presses.
    func delivery(_ batch: DatapointBatch, _ result: BatchResult) {
        let goal = ("goal", "\(batch.goal)")
        let datapoints = batch.datapoints
        switch result {
        case .whole(let outcome) where datapoints.count > 1:
            note(outcome, [goal, ("events", "\(datapoints.count)")])
        case .whole(let outcome):
            for outgoing in datapoints { delivery(outgoing, outcome) }
        case .each(let outcomes):
            for outgoing in datapoints {
                if let outcome = outcomes[outgoing.number] { delivery(outgoing, outcome) }
            }
        case .singly(let why):
            warning("not taken together, to be sent one by one", [goal, ("why", why)])
        }
    }

    /// Logs an attempt to delete a datapoint.
    func deletion(_ deletion: DatapointDeletion, _ outcome: Outcome) {
        note(outcome, [("goal", "\(deletion.goal)"), ("requestid", deletion.requestID)])
    }

    private func delivery(_ outgoing: OutgoingDatapoint, _ outcome: Outcome) {
        note(outcome, [("goal", "\(outgoing.goal)"), ("requestid", outgoing.requestID)])
    }

    private func note(_ outcome: Outcome, _ pairs: [(String, String)]) {
        switch outcome {
        case .delivered(.updated, _):
            warning("Beeminder had this request id with other contents", pairs)
        case .delivered(let how, _): info("delivered", pairs + [("how", how.rawValue)])
        case .refused(let status, let why):
            warning("refused by Beeminder", pairs + [("status", "\(status)"), ("why", why)])
        case .unclear(let why), .unreachable(let why), .misdirected(let why):
            warning("not delivered yet", pairs + [("why", why)])
        case .busy: warning("Beeminder asks to wait", pairs)
        case .unauthorized: warning("Beeminder does not take the token for this", pairs)
        case .noSuchGoal: warning("Beeminder knows no such goal", pairs)
        case .erased: info("deleted at Beeminder", pairs)
        }
    }

    /// Logs the result of a goal refresh.
    func goals(_ answer: GoalAnswer) {
        switch answer {
        case .goals(let goals, let user):
            info("goals", [("user", user.name), ("count", "\(goals.count)")])
        case .unchanged: break
        case .unauthorized: error("Beeminder does not take the token; sign in again", [])
        case .noUser: warning("nobody says whose the account is", [])
        case .misdirected(let why), .unclear(let why), .unreachable(let why, _),
            .userOnly(_, let why):
            warning("goals not fetched", [("why", why)])
        }
    }
}
