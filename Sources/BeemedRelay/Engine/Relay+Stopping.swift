import BeemedDomain
import RelayHTTP

/// The end of the program.
struct Shutdown {
    /// The deadline for delivering merged datapoints; nil while not waiting.
    var by: Monotonic?
    /// The disk has failed: the process is about to end, and accepts nothing more.
    fileprivate(set) var hasFailed = false
    fileprivate var end: (@Sendable (ExitCode) -> Void)?
}

/// Orderly shutdown: every request that was read is answered, and every accepted press is synced.
extension Relay {
    /// Maximum wait for the delivery of merged datapoints, in seconds. Without merging, those
    /// presses would have been sent long before.
    private static let deliverySeconds = 3.0

    /// - Parameter end: called on the loop with the exit code, after an orderly shutdown or a disk
    ///   failure.
    func onEnd(_ end: @escaping @Sendable (ExitCode) -> Void) {
        shutdown.end = end
    }

    /// Begins the shutdown.
    func shutDown() {
        log.info("stopping", [])
        let hasOpenWindows = engine.core.hasOpenWindows
        engine.hear(.stopping)
        finishTurn()
        site?.server.assumeIsolated { server in
            server.drain { self.assumeIsolated { $0.finishDeliveries(hasOpenWindows) } }
        }
    }

    private func finishDeliveries(_ hadOpenWindows: Bool) {
        _ = abandonIntakes()
        abandonImport()
        guard hadOpenWindows else { return engine.close() }
        let now = environment.clock().monotonic
        shutdown.by = now.adding(seconds: Relay.deliverySeconds)
        closeWhenDelivered(at: now)
    }

    /// Closes the journal when no delivery is in progress, or after the time limit; the next start
    /// resends the rest.
    func closeWhenDelivered(at now: Monotonic) {
        guard let due = shutdown.by, due <= now || !engine.core.isSending else { return }
        shutdown.by = nil
        engine.close()
    }

    /// The journal has ended.
    func hear(_ end: RelayEngine.JournalEnd) {
        switch end {
        case .closed(let error):
            saveLastSeen()
            files.finish()
            shutdown.end?(error == nil ? .ok : .ioError)
        case .failed:
            fail()
            shutdown.end?(.ioError)
        }
    }

    /// The state of the disk is unknown: pending requests are told so, and the process ends.
    private func fail() {
        shutdown.hasFailed = true
        for waiter in engine.abandon() {
            switch waiter {
            case .request(let call, _), .undo(let call), .pin(let call, _):
                answer(call, .failure(.outcomeUnknown))
            case .batch, .day, .visit, .imported: continue
            }
        }
        let calls =
            queues.batches.removeAll().map(\.call) + abandonIntakes().map(\.call) + abandonHealth()
        for call in calls { answer(call, .failure(.outcomeUnknown)) }
        abandonImport()
    }
}
