import BeemedDomain
import Libc
import RelayHTTP
import Synchronization

/// A line per event on standard error, `key=value` with the local time, or the same as JSON. The
/// log never contains a token: callers pass no text that may hold one.
package final class Log: Sendable {
    /// The severity of a line.
    package enum Level: Sendable, Comparable, CaseIterable {
        case debug, info, warning, error
    }

    /// The form of a line.
    package enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    private let state: Mutex<(level: Level, format: Format, time: LocalTime)>
    private let write: @Sendable ([UInt8]) -> Void

    init(level: Level = .info, write: @escaping @Sendable ([UInt8]) -> Void) {
        state = Mutex((level, .text, LocalTime()))
        self.write = write
    }

    /// Writes to standard error.
    package static let standard = Log { Console.error($0) }

    /// Lines below this level are not written.
    var level: Level { state.withLock { $0.level } }

    /// Changes level and format.
    package func change(_ level: Level, _ format: Format) {
        state.withLock { ($0.level, $0.format) = (level, format) }
    }

    /// Logs what happened.
    package func info(_ message: StaticString, _ pairs: [(String, String)]) {
        say(.info, message, pairs)
    }

    /// Logs what a person should look at.
    package func warning(_ message: StaticString, _ pairs: [(String, String)]) {
        say(.warning, message, pairs)
    }

    /// Logs what went wrong.
    package func error(_ message: StaticString, _ pairs: [(String, String)]) {
        say(.error, message, pairs)
    }

    private func say(_ level: Level, _ message: StaticString, _ pairs: [(String, String)]) {
        guard level >= self.level else { return }
        let (time, format) = present
        if format == .json {
            write(Array("\(Log.json(time, level, message, pairs))\n".utf8))
        } else {
            var line = "time=\(time) level=\(level) msg=\(Log.quoted("\(message)"))"
            for (name, value) in pairs { line += " \(name)=\(Log.quoted(value))" }
            write(Array("\(line)\n".utf8))
        }
    }

    /// The time of a line that is written now, and its form.
    private var present: (time: String, Format) {
        state.withLock { ($0.time.text(at: Instant.wallNanoseconds), $0.format) }
    }

    private static func json(
        _ time: String, _ level: Level, _ message: StaticString, _ pairs: [(String, String)]
    ) -> String {
        let members = [("time", time), ("level", "\(level)"), ("msg", "\(message)")] + pairs
        return "{" + members.map { "\(text($0.0)):\(text($0.1))" }.joined(separator: ",") + "}"
    }

    /// Writes the accepted presses of a turn at once, a line each: under the request id by which
    /// the journal, the answer and `GET /events` know it. The comment is private and left out. Then
    /// forgets them, and keeps the room for those of an ordinary turn.
    ///
    /// Every press has a line, but for those that are sent again and again (`RequestRecords`), and
    /// nobody waits for that: the lines of a turn are written together, behind the answers.
    func write(_ presses: inout [Acceptance]) {
        guard !presses.isEmpty else { return }
        defer { presses.removeAll(keepingCapacity: presses.capacity <= 1_024) }
        guard level <= .info else { return }
        let (time, format) = present
        let isJSON = format == .json
        var lines = JSONWriter(capacity: presses.count * 192)
        for acceptance in presses { Log.write(acceptance, time, isJSON, to: &lines) }
        write(lines.bytes)
    }

    private static func write(
        _ acceptance: Acceptance, _ time: String, _ isJSON: Bool, to lines: inout JSONWriter
    ) {
        let event = acceptance.event
        lines.write(literal: isJSON ? #"{"time":""# : "time=")
        lines.write(raw: time)
        lines.write(literal: isJSON ? #"","level":"info","msg":""# : " level=info msg=")
        lines.write(literal: isJSON ? #"accepted","requestid":""# : "accepted requestid=")
        lines.write(requestIDOf: event.key)
        lines.write(literal: isJSON ? #"","goal":""# : " goal=")
        lines.write(raw: event.goal.description)
        lines.write(literal: isJSON ? #"","value":""# : " value=")
        lines.write(raw: event.value)
        if acceptance.isDuplicate {
            lines.write(literal: isJSON ? #"","duplicate":"true"# : " duplicate=true")
        }
        lines.write(literal: isJSON ? "\"}\n" : "\n")
    }

    private static func text(_ text: String) -> String {
        var writer = JSONWriter()
        writer.element(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Quotes a value that could be read as the next pair or the next line.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x3D }
        if isPlain, !text.isEmpty { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where Console.isControl(scalar): quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Logs a delivery attempt. A result that all presses share is logged once: an outage costs one
    /// line per attempt, regardless of the number of pending presses.
    func delivery(_ batch: DatapointBatch, _ result: BatchResult) {
        let goal = ("goal", "\(batch.goal)")
        let datapoints = batch.datapoints
        switch result {
        case .whole(let outcome) where datapoints.count > 1:
            write(outcome, [goal, ("events", "\(datapoints.count)")])
        case .whole(let outcome):
            for outgoing in datapoints { delivery(outgoing, outcome) }
        case .each(let outcomes):
            for outgoing in datapoints {
                if let outcome = outcomes[outgoing.number] { delivery(outgoing, outcome) }
            }
        }
    }

    func deletion(_ deletion: DatapointDeletion, _ outcome: Outcome) {
        write(outcome, [("goal", "\(deletion.goal)"), ("requestid", deletion.requestID)])
    }

    private func delivery(_ outgoing: OutgoingDatapoint, _ outcome: Outcome) {
        write(outcome, [("goal", "\(outgoing.goal)"), ("requestid", outgoing.requestID)])
    }

    private func write(_ outcome: Outcome, _ pairs: [(String, String)]) {
        switch outcome {
        case .delivered(.updated, _):
            warning("Beeminder had this request id with other contents", pairs)
        case .delivered(let how, _): info("delivered", pairs + [("how", how.rawValue)])
        case .erased: info("deleted at Beeminder", pairs)
        case .refused: warning("refused by Beeminder", pairs + [("why", outcome.words)])
        default: warning("not delivered yet", pairs + [("why", outcome.words)])
        }
    }

    func goals(_ answer: GoalAnswer) {
        switch answer {
        case .goals(let goals, let user, _):
            info("goals", [("user", user.name), ("count", "\(goals.count)")])
        case .unchanged: break
        case .unauthorized: error("Beeminder does not take the token; sign in again", [])
        case .noUser: warning("Beeminder has not named the user of the account", [])
        case .unclear(let why), .unreachable(let why, _), .userOnly(_, let why):
            warning("goals not fetched", [("why", why)])
        }
    }
}

/// Local times as text (RFC 3339): `2026-11-18T10:33:12.345+01:00`.
package struct LocalTime: Sendable {
    private var second = Int64.min
    /// The text of that second, with any milliseconds.
    private var text: [UInt8] = []

    /// The text of a time. The C library is asked once for each second: to look whether the zone
    /// has changed took a hundredth of the time of a press.
    mutating func text(at nanoseconds: Int64) -> String {
        if nanoseconds / 1_000_000_000 != second {
            second = nanoseconds / 1_000_000_000
            text = Array(LocalTime.text(nanoseconds).utf8)
        }
        guard !text.isEmpty else { return "" }
        var rest = max(0, nanoseconds) / 1_000_000
        for index in (20...22).reversed() {
            text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func text(_ nanoseconds: Int64) -> String {
        guard let parts = unsafe parts(of: time_t(nanoseconds / 1_000_000_000)) else { return "" }
        return unsafe text(parts, milliseconds: Int(nanoseconds / 1_000_000 % 1_000))
    }

    static func text(_ parts: tm, milliseconds: Int) -> String {
        var text = Array("0000-00-00T00:00:00.000+00:00".utf8)
        // Its last digit stands before that index. To join texts took a seventh of a lone press.
        func write(_ number: Int, at end: Int) {
            var (rest, index) = (number, end)
            while rest > 0 {
                index -= 1
                text[index] += UInt8(rest % 10)
                rest /= 10
            }
        }
        let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
        write(Int(year), at: 4)
        write(Int(month), at: 7)
        write(Int(day), at: 10)
        unsafe write(Int(parts.tm_hour), at: 13)
        unsafe write(Int(parts.tm_min), at: 16)
        unsafe write(Int(parts.tm_sec), at: 19)
        write(milliseconds, at: 23)
        let offset = unsafe parts.tm_gmtoff / 60
        if offset < 0 { text[23] = UInt8(ascii: "-") }
        write(abs(offset) / 60, at: 26)
        write(abs(offset) % 60, at: 29)
        return String(decoding: text, as: UTF8.self)
    }

    /// The abbreviation of the machine's time zone now, and its seconds ahead of UTC.
    package static var zone: (name: String, offset: Int) {
        guard let parts = unsafe parts(of: time(nil)) else { return ("UTC", 0) }
        return unsafe (String(cString: parts.tm_zone), parts.tm_gmtoff)
    }

    /// The C library's local time; the zone is read again each time.
    private static func parts(of second: time_t) -> tm? {
        var (second, parts) = unsafe (second, tm())
        tzset()
        return unsafe localtime_r(&second, &parts) == nil ? nil : parts
    }
}
