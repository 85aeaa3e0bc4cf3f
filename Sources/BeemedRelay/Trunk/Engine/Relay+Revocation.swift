import BeemedDomain
import RelayHTTP

extension Relay {
    /// Ends what depends on a revoked token or session: links, sessions, authorizations, waiting
    /// requests and queues under way. Health data that was accepted is taken.
    func endRevoked() {
        if access.endRevoked() {
            files.saveCache { [sessions = access.sessions] in
                _ = $0.save(sessions, as: .sessions, $1)
            }
        }
        let access = access
        endWaits { !access.isGood($0.digest) }
        for intake in intakes.list where !access.isGood(intake.device) { intake.isRevoked = true }
    }

    /// Saves the last-seen times, off the loop.
    func saveLastSeen() {
        guard let times = access.lastSeen.takeUnsaved(of: access.devices) else { return }
        files.saveCache { _ = $0.save(times, as: .lastSeen, $1) }
    }
}
