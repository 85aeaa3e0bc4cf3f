import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay log GOAL [VALUE]`: a press of the owner.
struct LogCommand {
    private struct Accepted: Decodable {
        var goal: String
        var value: Double
        var duplicate: Bool
        var state: String
        var id: String
        var requestid: String
        var `guard`: PresetGuardWords?
    }

    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    func run() throws(Failure) -> ExitCode {
        let arguments = invocation.arguments
        let goal = arguments.words[0]
        var body: [String: any Encodable] = [:]
        if arguments.words.count > 1 {
            guard let value = Double(arguments.words[1]), value.isFinite else {
                throw Failure(
                    .usage, "'\(arguments.words[1])' is not a number, as in: log \(goal) 2.5")
            }
            body["value"] = value
        }
        // An empty variable of a script would log another press, or one for another day.
        for option in ["id", "day"] where arguments[option]?.trimmed.isEmpty ?? false {
            throw Failure(.usage, "--\(option) is empty; give it a value, or leave it out")
        }
        body["comment"] = arguments["comment"]
        body["id"] = arguments["id"]
        body["daystamp"] = arguments["day"]
        let relay = try invocation.relay()
        let answer = try relay.call("POST", "/log/\(goal.asPathSegment)", body)
        defer { warn(of: answer, relay) }
        return try invocation.print(answer, as: Accepted.self) { accepted in
            let known = accepted.duplicate ? ", known already" : ""
            let press = "\(accepted.goal) \(accepted.value.signedText)"
            let words =
                accepted.state == EventState.guarded.rawValue
                ? "\(press) does not count\(accepted.guard.map { ": \($0.words)" } ?? ""); to send "
                    + "it all the same: beemed-relay events retry \(accepted.id)"
                : "\(press) is on the relay's disk\(known): \(accepted.requestid)"
            Console.output(words)
        }
    }

    /// Prints the alarm about the press's goal if that derails soon while presses for it wait.
    private func warn(of answer: Data, _ relay: RunningRelay) {
        struct Health: Decodable {
            var alarms: [String]?
        }
        guard let goal = try? answer.decoded(Accepted.self).goal,
            let health = try? relay.call("GET", "/healthz", accepting: [200, 503]),
            let alarms = try? health.decoded(Health.self).alarms
        else { return }
        for alarm in alarms where alarm.hasPrefix("'\(goal)' ") {
            Console.notice(Console.plain(RunningRelay.words(alarm)))
        }
    }
}

/// The guard of a preset that keeps a press from being sent, as an answer names it.
struct PresetGuardWords: Decodable {
    var preset: String?
    /// In seconds.
    var minimumInterval: Int64?
    var oncePerDay: Bool?

    var words: String {
        let name = preset.map { "the preset '\($0)'" } ?? "its preset"
        if let minimumInterval {
            return "by minimumInterval of \(name), at most one press in \(minimumInterval) s counts"
        }
        return "by oncePerDay of \(name), only the first datapoint of the goal's day counts"
    }
}

extension Double {
    /// `+1`, `-0.25`.
    var signedText: String {
        (sign == .minus ? "-" : "+") + magnitude.shortText
    }
}
