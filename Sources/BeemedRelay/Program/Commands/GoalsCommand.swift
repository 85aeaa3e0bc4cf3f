import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay goals`, `pin` and `unpin`.
struct GoalsCommand {
    private struct Goals: Decodable {
        struct Goal: Decodable {
            var slug: String
            var title: String?
            var due: String?
            /// When it derails, in Unix seconds.
            var losedate: Int64?
            var today: Double
            var urgency: String
            var queued: Int
            var pinned: Bool
        }
        var known: Bool
        var goals: [Goal]
    }

    private struct Pins: Decodable {
        var pins: [String]
    }

    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    func list() throws(Failure) -> ExitCode {
        let answer = try invocation.relay().call("GET", "/goals")
        return try invocation.print(answer, as: Goals.self, show)
    }

    private func show(_ goals: Goals) {
        if !goals.known {
            Console.notice(
                "Beeminder has not told the goals yet; 'beemed-relay status' says why")
        } else if goals.goals.isEmpty {
            Console.notice("this account has no goals")
        }
        let now = Instant.wallNanoseconds / 1_000_000_000
        Console.table(
            ["GOAL", "URGENCY", "LEFT", "DUE", "TODAY", "WAITING", "PINNED", "TITLE"],
            goals.goals.map { goal in
                [
                    goal.slug, words(goal.urgency),
                    goal.losedate.map { GoalsCommand.left($0 - now) } ?? "", goal.due ?? "",
                    goal.today.signedText, goal.queued == 0 ? "" : "\(goal.queued)",
                    goal.pinned ? "pinned" : "", goal.title ?? "",
                ]
            })
    }

    /// The time until a goal derails: `5 d 3 h`, `3 h 20 min`, `20 min`, `derailed`.
    static func left(_ seconds: Int64) -> String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
        if seconds <= 0 { return "derailed" }
        if days > 0 { return hours > 0 ? "\(days) d \(hours) h" : "\(days) d" }
        if hours > 0 { return minutes > 0 ? "\(hours) h \(minutes) min" : "\(hours) h" }
        return minutes > 0 ? "\(minutes) min" : "under 1 min"
    }

    /// The page's word for an urgency. Another version may know other ones.
    private func words(_ urgency: String) -> String {
        ["critical": "urgent", "warning": "soon"][urgency] ?? urgency
    }

    func pin() throws(Failure) -> ExitCode {
        let place = invocation.arguments["position"].map { "?position=\($0.asQueryValue)" } ?? ""
        return try show(try invocation.relay().call("PUT", path + place))
    }

    func unpin() throws(Failure) -> ExitCode {
        try show(try invocation.relay().call("DELETE", path))
    }

    private var path: String { "/pins/\(invocation.arguments.words[0].asPathSegment)" }

    private func show(_ answer: Data) throws(Failure) -> ExitCode {
        try invocation.print(answer, as: Pins.self) { list in
            let names = list.pins.joined(separator: ", ")
            Console.output(names.isEmpty ? "nothing is pinned" : "pinned: \(names)")
        }
    }
}
