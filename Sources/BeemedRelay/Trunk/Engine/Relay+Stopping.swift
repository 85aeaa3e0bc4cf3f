import BeemedDomain
import RelayHTTP

struct Shutdown {
    /// The deadline for delivering merged datapoints; nil while not waiting.
    var by: Monotonic?
    /// The disk has failed: the process is about to end, and accepts nothing more.
    fileprivate(set) var hasFailed = false
    /// The relay stops: nothing more is begun that may take long.
    package fileprivate(set) var hasBegun = false
    /// Called once, with the exit code.
    var end: (@Sendable (ExitCode) -> Void)?
}

/// Orderly shutdown: every request that was read is answered, and every accepted press is synced.
extension Relay {
    /// Maximum wait for the delivery of merged datapoints, in seconds. Without merging, those
    /// presses would have been sent long before.
    private static let deliverySeconds = 3.0

    /// Whether nothing may begin any more that takes long.
    package var isStopping: Bool { shutdown.hasBegun }

    /// Whether the relay accepts nothing more, and can promise nothing.
    var hasFailed: Bool { shutdown.hasFailed }

    /// Begins the shutdown.
    package func shutDown() {
        log.info("stopping", [])
        shutdown.hasBegun = true
        let hasOpenWindows = engine.core.hasOpenWindows
        engine.handle(.stopping)
        tell(.stopping)
        finishTurn()
        site?.server.assumeIsolated { server in
            server.drain { self.assumeIsolated { $0.finishDeliveries(hasOpenWindows) } }
        }
    }

    private func finishDeliveries(_ hadOpenWindows: Bool) {
        guard hadOpenWindows else { return engine.close() }
        let now = clock().monotonic
        shutdown.by = now.adding(seconds: Relay.deliverySeconds)
        closeWhenDelivered(at: now)
    }

    /// Closes the journal when no delivery is in progress, or after the time limit; the next start
    /// resends the rest.
    func closeWhenDelivered(at now: Monotonic) {
        guard let due = shutdown.by, due <= now || !engine.isSending else { return }
        shutdown.by = nil
        engine.close()
    }

    func handle(_ end: RelayEngine.JournalEnd) {
        switch end {
        case .closed(let code):
            saveLastSeen()
            files.finish()
            report(code)
        case .failed:
            fail()
            report(.ioError)
        }
    }

    /// Reports the end, once.
    private func report(_ code: ExitCode) {
        // A relay that steps down gets no other turn.
        records.writeAccepted()
        let end = shutdown.end
        shutdown.end = nil
        end?(code)
    }

    /// Another relay leads, or may: pending requests are told so, and nothing more is accepted.
    package func stepDown() {
        guard !shutdown.hasFailed else { return }
        engine.close()
        fail()
        report(.ioError)
        finishTurn()
    }

    /// The state of the disk is unknown: pending requests are told so, and the process ends.
    private func fail() {
        shutdown.hasFailed = true
        for waiter in engine.abandon() { waiter(nil) }
        for request in begun.values { answer(request.call, .failure(.outcomeUnknown)) }
        begun = [:]
        tell(.failed)
        answers += watchers.endAll { records.unloggedRefusal(.outcomeUnknown) }
    }
}
