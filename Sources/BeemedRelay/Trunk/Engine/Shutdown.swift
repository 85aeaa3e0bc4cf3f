import BeemedDomain

/// How far the end of a relay is.
struct Shutdown {
    /// The relay stops: nothing more is begun that may take long.
    var hasBegun = false
    /// The state of the disk is unknown, or another relay leads: nothing more is accepted.
    var hasFailed = false
    /// The deadline for delivering merged datapoints; nil while not waiting.
    private(set) var by: Monotonic?
    /// Called once, with the exit code.
    var end: (@Sendable (ExitCode) -> Void)?

    /// Maximum wait for the delivery of merged datapoints, in seconds. Without merging, those
    /// presses would have been sent long before.
    private static let deliverySeconds = 3.0

    mutating func waitForDeliveries(from now: Monotonic) {
        by = now.adding(seconds: Shutdown.deliverySeconds)
    }

    /// Whether the journal may be closed: when no delivery is in progress, or after the time limit;
    /// the next start resends the rest.
    mutating func mayClose(at now: Monotonic, isSending: @autoclosure () -> Bool) -> Bool {
        guard let due = by, due <= now || !isSending() else { return false }
        by = nil
        return true
    }
}
