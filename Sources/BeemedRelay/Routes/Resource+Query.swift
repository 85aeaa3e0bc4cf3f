import RelayHTTP

extension Resource {
    /// The parameters that the query of a request to it may have; nil where clients add their own:
    /// devices to the address that they fetch for a press, webhooks, browsers and monitors to that
    /// of a page or a check. There unknown ones are a part of the press, or change nothing.
    private func parameters(of method: Method) -> [String]? {
        let isRead = method == .get || method == .head
        return switch self {
        case .log, .trigger, .undo, .healthData: nil
        case .home, .page, .recipe, .login, .oauthStart, .oauthCallback, .healthCheck, .ready,
            .manual:
            nil
        // It names what it does not know in its answer.
        case .events: isRead ? EventQuestion.names : nil
        case .context: ContextView.names + ["wait"]
        case .contextStream: ContextView.names
        case .goals: ["days"]
        case .pin: method == .put ? ["position"] : []
        case .retry: ["goal"]
        case .export: ["format"]
        case .importing: isRead ? [] : ImportOptions.names
        case .reminders(.snooze): method == .delete ? ["goal"] : ["goal", "hours", "until"]
        case .event, .goalRefresh, .seenMetrics, .rules, .rule, .pins, .presets, .preset, .flush,
            .connection, .devices, .device, .rotation, .expectation, .reminders, .goalReminder,
            .logout, .sessions, .ownerLink, .qrCode, .requests, .metrics, .settings:
            []
        }
    }

    /// Refuses a query with a parameter that would be ignored: a filter that was mistyped would
    /// show everything, and a dry run that was mistyped would be none.
    ///
    /// - Throws: `Problem`, which names the parameters that there are.
    func check(query: String, of method: Method) throws(Problem) {
        guard let known = parameters(of: method) else { return }
        for (name, _) in FormDecoder.pairs(query) where !known.contains(name) {
            guard name != "token" else { continue }
            // A name may be all of a secret there.
            let shown =
                showsTarget ? "'\(Redaction.text(String(name.prefix(40))))'" : "of this name"
            let others = known.map { "'\($0)'" }.joined(separator: ", ")
            throw .malformed(
                "there is no parameter \(shown) here; "
                    + (known.isEmpty ? "leave it out" : "there are \(others)"))
        }
    }
}
