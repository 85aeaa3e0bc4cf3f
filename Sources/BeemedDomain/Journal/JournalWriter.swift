import Foundation
import Synchronization

/// What became of a batch of records.
package enum CommitOutcome: Sendable {
    /// They are durable.
    case committed(Receipt)
    /// There is no room; none of these, nor any later one of that epoch, was kept.
    case rejected(epoch: UInt64, DiskError)
    /// Nobody knows. The process must end.
    case failed(DiskError)
    /// The journal is closed, in good order or not.
    case closed(DiskError?)
}

/// The thread that waits for the disk, so that nobody else has to.
///
/// While one batch is being synced the next one gathers: a hundred presses at once share two
/// syncs, and a single press waits for no timer.
package final class JournalWriter: Sendable {
    /// Bounds of a batch.
    private enum Batch {
        static let records = 4_096
        /// How long records that nobody waits for may stay in memory, in seconds.
        static let patience = 1.0
    }

    private struct State: Sendable {
        var waiting: [Record] = []
        /// Whether somebody waits for one of them.
        var isUrgent = false
        var since: Date?
        var epoch: UInt64 = 0
        var liveEvents = 0
        var isClosing = false
    }

    private enum Work {
        case commit([Record], epoch: UInt64, liveEvents: Int)
        case close
    }

    private let state = Mutex(State())
    private let condition = NSCondition()
    private let report: @Sendable (CommitOutcome) -> Void
    private let wallClock: @Sendable () -> UnixTime

    /// A writer without a journal yet.
    ///
    /// - Parameter report: called on the writer's thread, once for every batch, in order.
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
    ///   - liveEvents: how many events are known, for the decision to compact.
    package func submit(_ records: [Record], epoch: UInt64, isUrgent: Bool, liveEvents: Int) {
        state.withLock { state in
            if state.epoch != epoch {
                state.waiting.removeAll()  // They were rejected with those before them.
                state.epoch = epoch
            }
            state.waiting += records
            state.isUrgent = state.isUrgent || isUrgent
            if state.since == nil { state.since = Date() }
            state.liveEvents = liveEvents
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

    // MARK: The thread

    private func run(_ journal: consuming Journal) {
        var journal = journal
        var rejectedBefore: UInt64 = 0
        while true {
            switch nextWork() {
            case .close:
                do throws(CommitFailure) {
                    try journal.close()
                    return report(.closed(nil))
                } catch {
                    return report(.closed(error.cause))
                }
            case .commit(let records, let epoch, let liveEvents):
                guard epoch >= rejectedBefore else { continue }
                do throws(CommitFailure) {
                    report(.committed(try journal.commit(records)))
                    try journal.rotateIfNeeded(liveEvents: liveEvents, time: wallClock())
                } catch .full(let error) {
                    rejectedBefore = epoch + 1
                    report(.rejected(epoch: epoch, error))
                } catch {
                    return report(.failed(error.cause))
                }
            }
        }
    }

    /// Waits until there is something to do.
    private func nextWork() -> Work {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let (work, deadline) = state.withLock { JournalWriter.take(&$0) }
            if let work { return work }
            if let deadline {
                _ = condition.wait(until: deadline)
            } else {
                condition.wait()
            }
        }
    }

    private static func take(_ state: inout State) -> (Work?, until: Date?) {
        let deadline = state.since?.addingTimeInterval(Batch.patience)
        let isDue = state.isUrgent || state.isClosing || deadline.map { $0 <= Date() } ?? false
        if !state.waiting.isEmpty, isDue {
            let batch = Array(state.waiting.prefix(Batch.records))
            state.waiting.removeFirst(batch.count)
            if state.waiting.isEmpty {
                state.since = nil
                state.isUrgent = false
            }
            return (.commit(batch, epoch: state.epoch, liveEvents: state.liveEvents), nil)
        }
        return (state.isClosing ? .close : nil, deadline)
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
