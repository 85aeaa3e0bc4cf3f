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
        Console.table(
            goals.goals.map { goal in
                [
                    goal.slug, words(goal.urgency), goal.due ?? "",
                    "today \(goal.today.signedText)",
                    goal.queued == 0 ? "" : "\(goal.queued) wait", goal.pinned ? "pinned" : "",
                    goal.title ?? "",
                ]
            })
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
