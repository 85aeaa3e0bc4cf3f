import Synchronization

/// Something that may happen on any thread, of which only the first time counts.
final class Once: Sendable {
    private let state = Mutex(false)

    /// Whether it has happened.
    var hasHappened: Bool { state.withLock { $0 } }

    /// - Returns: whether this is the first time.
    func happens() -> Bool {
        state.withLock { hasHappened in
            defer { hasHappened = true }
            return !hasHappened
        }
    }
}
