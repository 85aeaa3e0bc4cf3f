import RelayHTTP

/// The page's buttons: common faults, and a goal's controls.
extension SimulatedBeeminder {
    private struct Button {
        var words: String
        var path: String
        var fields: [(name: String, value: String)] = []
    }

    private static let posts = [(name: "method", value: "POST"), ("route", "datapoints")]

    private static let moods = [
        Button(words: "Behave", path: "faults", fields: [("mood", "good")]),
        Button(words: "Down (503)", path: "faults", fields: [("mood", "status")]),
        Button(
            words: "Lose the next answer", path: "faults",
            fields: [("mood", "hang_up"), ("applied", "1"), ("first_calls", "1")] + posts),
        Button(
            words: "Slow (5 s)", path: "faults", fields: [("mood", "slow"), ("delay", "5")]),
        Button(
            words: "Throttle (10 s)", path: "faults",
            fields: [("mood", "throttled"), ("retry_after", "10"), ("first_calls", "1")]),
        Button(
            words: "Refuse the token", path: "faults",
            fields: [("mood", "status"), ("status", "401")]),
        Button(
            words: "Refuse datapoints (422)", path: "faults",
            fields: [("mood", "status"), ("status", "422")] + posts),
        Button(words: "A page of HTML", path: "faults", fields: [("mood", "html")]),
        Button(words: "Redirect", path: "faults", fields: [("mood", "redirect")]),
        Button(
            words: "Fail one in five", path: "faults",
            fields: [("mood", "hang_up"), ("chance", "0.2")]),
        Button(words: "2 calls a minute", path: "quirks", fields: [("callsPerMinute", "2")]),
        Button(words: "No such limit", path: "quirks", fields: [("callsPerMinute", "")]),
    ]

    /// The buttons for faults.
    static let buttons = moods.map(html).joined(separator: "\n")

    /// The controls of this goal.
    static func buttons(for goal: SimulatedGoal) -> String {
        let verbs = [
            goal.isArchived ? "unarchive" : "archive", goal.isFrozen ? "unfreeze" : "freeze",
        ]
        return verbs.map { html(Button(words: $0, path: "goals/\(goal.slug)/\($0)")) }
            .joined(separator: " ")
    }

    private static func html(_ button: Button) -> String {
        let fields = (button.fields + [("back", "1")]).map { name, value in
            "<input type=hidden name=\"\(name)\" value=\"\(HTMLText.escaped(value))\">"
        }
        let path = HTMLText.escaped("/control/\(button.path)")
        return """
            <form method=post action="\(path)">\(fields.joined())\
            <button>\(HTMLText.escaped(button.words))</button></form>
            """
    }
}
