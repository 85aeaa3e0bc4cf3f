import Foundation
import Synchronization

/// The thread that waits for the disk, so that nobody else has to.
///
/// While one batch is being synced the next one gathers: a hundred presses at once share two
/// syncs, and a single press waits for no timer.
package final class JournalWriter: Sendable {
    private struct State: Sendable {
        var queue = RecordQueue()
        var isClosing = false
    }

    private enum Work {
        case write(RecordQueue.Batch)
        case close
    }

    private let state = Mutex(State())
    private let condition = NSCondition()
    private let report: @Sendable (CommitOutcome) -> Void
    private let wallClock: @Sendable () -> UnixTime
    private let origin = ContinuousClock.now

    /// A writer without a journal yet.
    ///
    /// - Parameter report: called on the writer's thread, for every batch at least once, in order.
    package init(
        wallClock: @escaping @Sendable () -> UnixTime,
        report: @escaping @Sendable (CommitOutcome) -> Void
    ) {
        self.wallClock = wallClock
        self.report = report
    }

    /// Starts the thread, which owns the journal from now on.
    package func start(_ journal: Journal) {
        let thread = Thread { self.run(journal) }
        thread.name = "journal"
        thread.start()
    }

    /// Takes records, in order.
    ///
    /// - Parameters:
    ///   - epoch: how often a batch had been rejected when they were numbered.
    ///   - isUrgent: whether somebody waits for them; if not they ride with the next that are, or
    ///     within a second.
    ///   - live: what the journal must hold, for the decisions to accept and to compact.
    package func submit(_ records: [Record], epoch: UInt64, isUrgent: Bool, live: LiveSize) {
        let now = now
        state.withLock {
            $0.queue.submit(records, epoch: epoch, isUrgent: isUrgent, live: live, at: now)
        }
        signal()
    }

    /// Writes what waits, closes the journal and ends the thread.
    package func close() {
        state.withLock { $0.isClosing = true }
        signal()
    }

    private func signal() {
        condition.lock()
        condition.signal()
        condition.unlock()
    }

    /// A clock that people cannot set, since this one was made.
    private var now: Monotonic {
        Monotonic(milliseconds: Int64((ContinuousClock.now - origin) / .milliseconds(1)))
    }

    // MARK: The thread

    private func run(_ journal: consuming Journal) {
        var journal = journal
        while true {
            switch nextWork() {
            case .close:
                do throws(CommitFailure) {
                    try journal.close()
                    return report(.closed(nil))
                } catch {
                    return report(.closed(error.cause))
                }
            case .write(let batch):
                var hasFailed = false
                journal.write(batch, time: wallClock()) { outcome in
                    switch outcome {
                    case .rejected(let epoch, _):
                        state.withLock { $0.queue.reject(epoch: epoch) }
                    case .failed: hasFailed = true
                    case .committed, .closed: break
                    }
                    report(outcome)
                }
                if hasFailed { return }
            }
        }
    }

    /// Waits until there is something to do.
    private func nextWork() -> Work {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let now = now
            let (work, deadline) = state.withLock { state -> (Work?, Monotonic?) in
                if let batch = state.queue.take(at: now, isClosing: state.isClosing) {
                    return (.write(batch), nil)
                }
                return (state.isClosing ? .close : nil, state.queue.deadline)
            }
            if let work { return work }
            if let deadline {
                let seconds = Double(deadline.milliseconds - now.milliseconds) / 1_000
                _ = condition.wait(until: Date(timeIntervalSinceNow: max(0.001, seconds)))
            } else {
                condition.wait()
            }
        }
    }
}

extension CommitFailure {
    /// The system call that failed.
    package var cause: DiskError {
        switch self {
        case .full(let error), .unknown(let error): error
        }
    }
}
