import Foundation
import Synchronization

/// Takes records to the journal, and waits for the disk where that holds nobody up.
///
/// On a disk that has proven quick the caller writes them itself, one batch in a turn of its loop.
/// Otherwise a thread of the writer's own does: while one batch is being synced the next one
/// gathers, a hundred presses share two syncs, and nobody but that thread ever waits.
package final class JournalWriter: Sendable {
    private struct State: Sendable {
        var queue = RecordQueue()
        var isClosing = false
        var needsRotation = false
    }

    /// The journal and how quick its disk is. Whoever has the lock writes.
    private struct Desk: Sendable {
        var journal: Journal?
        var pace = Pace()
    }

    private let state = Mutex(State())
    private let desk = Mutex(Desk())
    private let condition = NSCondition()
    private let report: @Sendable (CommitOutcome) -> Void
    private let wallClock: @Sendable () -> UnixTime
    private let origin = ContinuousClock.now

    /// A writer without a journal yet.
    ///
    /// - Parameter report: called on the writer's thread, for every batch that it has written at
    ///   least once, in order.
    package init(
        wallClock: @escaping @Sendable () -> UnixTime,
        report: @escaping @Sendable (CommitOutcome) -> Void
    ) {
        self.wallClock = wallClock
        self.report = report
    }

    /// Starts the thread. The journal belongs to the writer from now on.
    package func start(_ journal: Journal) {
        desk.withLock { $0.journal = journal }
        let thread = Thread { self.run() }
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
    /// - Returns: what has become of them, if that is known already; else it is reported.
    package func submit(
        _ records: [Record], epoch: UInt64, isUrgent: Bool, live: LiveSize
    ) -> [CommitOutcome] {
        let now = now
        state.withLock {
            $0.queue.submit(records, epoch: epoch, isUrgent: isUrgent, live: live, at: now)
        }
        if isUrgent, let outcomes = writeInPlace() { return outcomes }
        signal()
        return []
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

    // MARK: Writing

    /// - Returns: nil when the thread is to do it: the disk is slow, or the thread is at it.
    private func writeInPlace() -> [CommitOutcome]? {
        let outcomes = desk.withLockIfAvailable { desk -> [CommitOutcome]? in
            guard desk.pace.isQuick else { return nil }
            return writeNext(&desk)
        }
        return outcomes ?? nil
    }

    /// Takes the next batch, if one is due, and writes it. The batch is taken under the same lock
    /// under which it is written, so that none overtakes another.
    private func writeNext(_ desk: inout Desk) -> [CommitOutcome] {
        let now = now
        let due = state.withLock { $0.queue.take(at: now, isClosing: $0.isClosing) }
        guard let batch = due else { return [] }
        var outcomes: [CommitOutcome] = []
        let start = ContinuousClock.now
        desk.journal?.write(batch) { outcomes.append($0) }
        desk.pace.note(seconds: (ContinuousClock.now - start) / .seconds(1))
        let wantsRotation = desk.journal?.wantsRotation ?? false
        state.withLock { state in
            if case .rejected(let epoch, _)? = outcomes.last { state.queue.reject(epoch: epoch) }
            state.needsRotation = wantsRotation
        }
        if wantsRotation { signal() }
        return outcomes
    }

    // MARK: The thread

    private func run() {
        while true {
            switch nextWork() {
            case .write:
                let outcomes = desk.withLock { writeNext(&$0) }
                for outcome in outcomes { report(outcome) }
                if case .failed? = outcomes.last { return }
            case .rotate:
                if let failure = rotate() { return report(.failed(failure)) }
            case .close:
                return report(.closed(close(desk)))
            }
        }
    }

    /// - Returns: what has made the journal's contents unknown, if something has.
    private func rotate() -> DiskError? {
        let live = state.withLock { state in
            state.needsRotation = false
            return state.queue.live
        }
        let time = wallClock()
        return desk.withLock { desk in
            do throws(CommitFailure) {
                try desk.journal?.rotateIfNeeded(live: live, time: time)
                return nil
            } catch {
                return error.cause
            }
        }
    }

    private func close(_ desk: borrowing Mutex<Desk>) -> DiskError? {
        desk.withLock { desk in
            defer { desk.journal = nil }
            do throws(CommitFailure) {
                try desk.journal?.close()
                return nil
            } catch {
                return error.cause
            }
        }
    }

    private enum Work {
        case write, rotate, close
    }

    /// Waits until there is something to do.
    private func nextWork() -> Work {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let now = now
            let (work, deadline) = state.withLock { state -> (Work?, Monotonic?) in
                if state.needsRotation { return (.rotate, nil) }
                if state.queue.isDue(at: now, isClosing: state.isClosing) { return (.write, nil) }
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
