import Dispatch
import Synchronization

/// Wakes the one thread that waits for it. A signal that comes first is not lost, and several count
/// as one: the thread looks at what there is to do, and not at their number.
package final class ThreadSignal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isPending = Atomic(false)

    package init() {}

    /// Wakes the thread. What was written before is visible to it.
    package func send() {
        if !isPending.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
    }

    /// Waits for a signal.
    ///
    /// - Parameter milliseconds: for how long at most; nil for ever.
    package func wait(milliseconds: Int64? = nil) {
        if let milliseconds {
            let end = DispatchTime.now() + .milliseconds(Int(clamping: milliseconds))
            guard semaphore.wait(timeout: end) == .success else { return }
        } else {
            semaphore.wait()
        }
        // Before the caller looks: a signal that comes while it looks is a new one.
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
