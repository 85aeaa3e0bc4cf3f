import Synchronization

/// Writes records to the journal, without blocking the caller where that would delay others.
///
/// A thread of the writer writes them: while one batch is synced the next one collects, a hundred
/// presses share two syncs, and only that thread waits. On a fast disk the caller writes them
/// itself where that is faster (`SyncPolicy`).
package final class JournalWriter: Sendable {
    private struct State: Sendable {
        var queue = RecordQueue()
        var isClosing = false
        /// The outcomes of records, in the order of writing, that were not taken yet.
        var outcomes: [CommitOutcome] = []
        var remoteLines: RemoteLines?
        /// How long batches took.
        var syncTimes = SyncTimes()
        /// Whether requests have come since the last batch that have no record.
        var hasOtherRequests = false

        /// Whether the batch of so many records that was just written is one press, and no other
        /// request has come since the batch before.
        mutating func takeIsAlone(_ records: Int) -> Bool {
            defer { hasOtherRequests = false }
            return records == 1 && queue.isEmpty && !hasOtherRequests
        }
    }

    /// The journal and the policy for its disk. The holder of the lock writes.
    private struct JournalAccess: Sendable {
        var journal: Journal?
        var syncPolicy = SyncPolicy()

        var isInPlace: Bool {
            syncPolicy.isInPlace && journal?.storage.canWriteInPlace ?? false
        }
    }

    private let state = Mutex(State())
    private let access = Mutex(JournalAccess())
    private let signal = ThreadSignal()
    private let notify: @Sendable () -> Void
    private let wallClock: @Sendable () -> UnixTime

    /// A writer without a journal.
    ///
    /// - Parameter notify: called on the writer's thread when there are outcomes to take.
    package init(
        wallClock: @escaping @Sendable () -> UnixTime, notify: @escaping @Sendable () -> Void
    ) {
        self.wallClock = wallClock
        self.notify = notify
    }

    /// Starts the thread. The writer owns the journal from now on.
    package func start(_ journal: Journal) {
        state.withLock { $0.remoteLines = journal.storage.remoteLines }
        access.withLock { $0.journal = journal }
        SystemThread.start("journal") { self.run() }
    }

    /// Reads the lines that are in no file of the folder, on any thread; nil where there are none.
    package var remoteLines: RemoteLines? { state.withLock { $0.remoteLines } }

    /// Submits records, in order. `takeOutcomes` returns their outcomes, at once if they were
    /// written in place.
    ///
    /// - Parameters:
    ///   - isUrgent: whether a request waits for them; if not, they are written with the next
    ///     urgent ones, or within a second.
    ///   - live: what the journal must hold.
    ///   - requests: the number of requests since the last call.
    /// - Returns: whether they were written in place, so that the mark may be due.
    @discardableResult
    package func submit(
        _ records: [Record], isUrgent: Bool, live: LiveSize, requests: Int = 1
    ) -> Bool {
        let now = now
        state.withLock {
            $0.queue.submit(records, isUrgent: isUrgent, live: live, at: now)
            if requests > records.count { $0.hasOtherRequests = true }
        }
        let isWritten = isUrgent && writeInPlace()
        if !isWritten { signal.send() }
        return isWritten
    }

    /// Writes the mark of what was written in place. Call this when the answers are sent: nobody
    /// waits for it. The thread does it if it has the journal.
    package func writeMark() { access.withLockIfAvailable { $0.journal?.writeMark() } }

    /// The outcomes since the last call, in the order of writing, from both threads: the outcome of
    /// a batch must not overtake that of an earlier one. They must be acted upon before more
    /// records are submitted.
    package func takeOutcomes() -> [CommitOutcome] {
        state.withLock { state in
            state.queue.acknowledge()
            defer { state.outcomes = [] }
            return state.outcomes
        }
    }

    /// How long batches took to write and sync.
    package var syncTimes: SyncTimes { state.withLock { $0.syncTimes } }

    /// Writes the waiting records, closes the journal and ends the thread.
    package func close() {
        state.withLock { $0.isClosing = true }
        signal.send()
    }

    /// The time by a clock that cannot be set.
    private var now: Monotonic { Monotonic(milliseconds: Stopwatch.nanoseconds / 1_000_000) }

    // MARK: Writing

    /// Writes one batch in place, if the policy says so and the thread is not writing.
    private func writeInPlace() -> Bool {
        let isWritten = access.withLockIfAvailable { access in
            guard access.isInPlace else { return false }
            _ = writeNext(&access)
            return true
        }
        return isWritten ?? false
    }

    /// Takes the next batch, if one is due, and writes it. Both happen under the same lock, so that
    /// no batch overtakes another. Returns whether to continue.
    private func writeNext(_ access: inout JournalAccess) -> Bool {
        let now = now
        let due = state.withLock { $0.queue.take(at: now, isClosing: $0.isClosing) }
        guard let batch = due else { return true }
        var hasFailed = false
        let begin = Stopwatch.nanoseconds
        access.journal?.write(batch) { outcome in
            if case .failed = outcome { hasFailed = true }
            report(outcome)
        }
        let seconds = Double(Stopwatch.nanoseconds - begin) * 1e-9
        let carrying = access.journal?.carrying(batch.live)
        if let carrying, !hasFailed, !state.withLock({ $0.isClosing }) {
            report(.wantsCarrying(carrying))
        }
        let isAlone = state.withLock { state in
            state.syncTimes.note(seconds: seconds)
            return state.takeIsAlone(batch.records.count)
        }
        access.syncPolicy.note(seconds: seconds, isAlone: isAlone)
        // A failed sync is final: later records are not even tried.
        if hasFailed { access.journal = nil }
        if access.journal?.isMaintenanceDue ?? false { signal.send() }
        return !hasFailed
    }

    private func report(_ outcome: CommitOutcome) {
        state.withLock { state in
            if case .rejected = outcome { state.queue.reject() }
            state.outcomes.append(outcome)
        }
    }

    // MARK: The thread

    private func run() {
        while true {
            let (hasMore, failure) = maintain()
            if let failure { return finish(.failed(failure)) }
            let now = now
            let (isDue, isClosing, deadline) = state.withLock { state in
                let isDue = state.queue.isDue(at: now, isClosing: state.isClosing)
                return (isDue, state.isClosing, state.queue.deadline)
            }
            if isDue {
                let goesOn = access.withLock { writeNext(&$0) }
                notify()
                guard goesOn else { return }
            } else if isClosing {
                let failure = change { (journal) throws(CommitFailure) in
                    defer { journal = nil }
                    try journal?.close()
                }
                return finish(.closed(failure))
            } else if !hasMore {
                signal.wait(
                    milliseconds: deadline.map { max(1, $0.milliseconds - now.milliseconds) })
            }
        }
    }

    /// Reports the thread's last outcome.
    private func finish(_ outcome: CommitOutcome) {
        report(outcome)
        notify()
    }

    /// Does what is due before more is written, and returns whether there is more of it. Work that
    /// found no space is tried again when the thread wakes next.
    private func maintain() -> (hasMore: Bool, failure: DiskError?) {
        let (live, time) = (state.withLock { $0.queue.live }, wallClock())
        var hasMore = false
        let failure = change { (journal) throws(CommitFailure) in
            hasMore = try journal?.maintain(live: live, time: time) ?? false
        }
        return (hasMore, failure)
    }

    /// Returns the error that made the journal's contents unknown, if any: it is not used again.
    private func change(
        _ body: (inout Journal?) throws(CommitFailure) -> Void
    ) -> DiskError? {
        access.withLock { access in
            do throws(CommitFailure) { try body(&access.journal) } catch {
                access.journal = nil
                return error.cause
            }
            return nil
        }
    }
}

/// The outcome of records.
package enum CommitOutcome: Sendable {
    /// They are durable.
    case committed(Receipt)
    /// There is no free space. The records that the receipt covers are durable; no later ones were
    /// kept.
    case rejected(Receipt, DiskError)
    /// Events should be stated again.
    case wantsCarrying(CarryRequest)
    /// The contents of the disk are unknown. The process must end.
    case failed(DiskError)
    /// The journal is closed, with an error if it was not clean.
    case closed(DiskError?)
}

/// The events to state again, so that the segment with their statements can be retired.
package struct CarryRequest: Sendable, Equatable {
    /// Events stated before this record.
    let before: SequenceNumber
    /// Whether settled ones are forgotten instead: there is no room for past events.
    let forgetsSettled: Bool
}
