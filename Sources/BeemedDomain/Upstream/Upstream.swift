/// The way to Beeminder, as the relay's shell sees it. Every call is reported once, on any thread.
package protocol Upstream: Sendable {
    /// Posts datapoints: one by itself, several with `create_all`. What an answer leaves unclear is
    /// looked for among the goal's datapoints before it is reported.
    func send(_ batch: DatapointBatch, report: @escaping @Sendable (BatchResult) -> Void)
    /// Deletes a datapoint, and looks for it by its request id when its own id is not known.
    func erase(_ deletion: DatapointDeletion, report: @escaping @Sendable (Outcome) -> Void)
    /// Asks for the user and the active goals.
    ///
    /// - Parameter since: the user's `updated_at` when the goals last came; when it is still the
    ///   same they are not asked for again. Nil asks for them in any case.
    func fetchGoals(since: Int64?, report: @escaping @Sendable (GoalAnswer) -> Void)
}

extension OutgoingDatapoint {
    /// The parameters of `POST /users/me/goals/{slug}/datapoints.json`, without the token. The
    /// timestamp, or the daystamp in its place, and the request id are always explicit: a
    /// repetition must be the same in every byte, or Beeminder takes it for an update.
    package var parameters: [(name: String, value: String)] {
        [
            ("value", number(value)),
            daystamp.map { ("daystamp", $0.description) } ?? ("timestamp", "\(at.seconds)"),
            ("comment", comment), ("requestid", requestID),
        ]
    }

    /// The same as an element of the list that `create_all` takes.
    fileprivate var element: String {
        let object = JSONWriter.object { json in
            json.add("value", value)
            if let daystamp {
                json.add("daystamp", plain: daystamp.description)
            } else {
                json.add("timestamp", at.seconds)
            }
            json.add("comment", comment)
            json.add("requestid", requestID)
        }
        return String(decoding: object, as: UTF8.self)
    }

    /// Without an exponent or a needless fraction where that is possible.
    private func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return "\(whole)" }
        return "\(value)"
    }
}

extension DatapointBatch {
    /// The one parameter of `POST .../datapoints/create_all.json`, without the token: a list of
    /// datapoints as the text of a form's field, which is how it was recorded to work.
    package var encoded: String {
        "[" + datapoints.map(\.element).joined(separator: ",") + "]"
    }
}
