import BeemedDomain
import RelayHTTP

/// Orderly shutdown: every request that was read is answered, and every accepted press is synced.
extension Relay {
    /// Maximum wait for the delivery of merged datapoints, in seconds. Without merging, those
    /// presses would have been sent long before.
    private static let deliverySeconds = 3.0

    /// Begins the shutdown.
    func shutDown() {
        log.info("stopping", [])
        let hasOpenWindows = core.hasOpenWindows
        apply(.stopping)
        finishTurn()
        server?.assumeIsolated { server in
            server.drain { self.assumeIsolated { $0.finishDeliveries(hasOpenWindows) } }
        }
    }

    private func finishDeliveries(_ hadOpenWindows: Bool) {
        _ = abandonIntakes()
        abandonImport()
        guard hadOpenWindows else { return closeJournal() }
        stopBy = clock().monotonic.adding(seconds: Relay.deliverySeconds)
        closeWhenDelivered(at: clock().monotonic)
    }

    /// Closes the journal when no delivery is in progress, or after the time limit; the next start
    /// resends the rest.
    func closeWhenDelivered(at now: Monotonic) {
        guard let due = stopBy, due <= now || !core.isSending else { return }
        stopBy = nil
        closeJournal()
    }
}
