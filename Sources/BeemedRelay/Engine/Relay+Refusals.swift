import BeemedDomain
import RelayHTTP

extension Relay {
    /// Logs a refusal, within the limit on log lines.
    ///
    /// - Parameter request: the refused request, if known.
    func logRefusal(
        _ problem: Problem, _ name: String, from peer: Address, _ request: Request? = nil
    ) {
        let now = clock().monotonic
        summarizeRefusals(now)
        guard refusalLog.note(RefusalLog.Kind(peer: peer, code: problem.code), at: now) else {
            return
        }
        var pairs = [("request", name), ("peer", "\(peer)")]
        // Over the rate limit a refusal must stay cheap: no redaction.
        if let request, problem.code != .tooManyRequests {
            pairs.append(("method", Redaction.tokens(request.method.token)))
            pairs.append(("path", Redaction.path(request.target.path)))
        }
        pairs += [("status", "\(problem.status)"), ("code", problem.code.rawValue)]
        log.info("refused", pairs)
    }

    /// Logs the number of refusals without a line of their own, at the end of each minute.
    func summarizeRefusals(_ now: Monotonic) {
        guard let summary = refusalLog.takeSummary(at: now) else { return }
        for (kind, count) in summary {
            let about = kind.map { [("peer", "\($0.peer)"), ("code", $0.code.rawValue)] } ?? []
            log.info("refused likewise", about + [("more", "\(count)")])
        }
    }
}
