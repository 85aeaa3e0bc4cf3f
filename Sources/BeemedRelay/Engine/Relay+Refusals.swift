import BeemedDomain
import RelayHTTP

extension Relay {
    /// Writes a refusal to the log, if it is to get a line.
    ///
    /// - Parameter request: what was asked, where that is known.
    func logRefusal(
        _ problem: Problem, _ name: String, from peer: Address, _ request: Request? = nil
    ) {
        let now = clock().monotonic
        summarizeRefusals(now)
        guard refusalLog.note(RefusalLog.Kind(peer: peer, code: problem.code), at: now) else {
            return
        }
        var pairs = [("request", name), ("peer", "\(peer)")]
        // Whoever asks too often costs no more than the count.
        if let request, problem.code != .tooManyRequests {
            pairs.append(("method", Redaction.tokens(request.method.token)))
            pairs.append(("path", Redaction.path(request.target.path)))
        }
        pairs += [("status", "\(problem.status)"), ("code", problem.code.rawValue)]
        log.info("refused", pairs)
    }

    /// Says how many refusals had no line of their own, when a minute of them is over.
    func summarizeRefusals(_ now: Monotonic) {
        guard let summary = refusalLog.takeSummary(at: now) else { return }
        for (kind, count) in summary {
            let about = kind.map { [("peer", "\($0.peer)"), ("code", $0.code.rawValue)] } ?? []
            log.info("refused likewise", about + [("more", "\(count)")])
        }
    }
}
