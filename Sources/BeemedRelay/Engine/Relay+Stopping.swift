import BeemedDomain
import RelayHTTP

/// The end in good order: every request that was read is answered, and what was accepted is on the
/// disk.
extension Relay {
    /// So long the end waits at most for merged datapoints to be delivered, in seconds. Presses
    /// that waited for others would have been sent long ago, if their preset did not merge them.
    private static let deliverySeconds = 3.0

    /// Begins to stop.
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
        guard hadOpenWindows else { return closeJournal() }
        stopBy = clock().monotonic.adding(seconds: Relay.deliverySeconds)
        closeWhenDelivered(at: clock().monotonic)
    }

    /// Closes the journal when nothing is on its way to Beeminder any more, or it takes too long:
    /// the next start sends it again.
    func closeWhenDelivered(at now: Monotonic) {
        guard let due = stopBy, due <= now || !core.isSending else { return }
        stopBy = nil
        closeJournal()
    }
}
