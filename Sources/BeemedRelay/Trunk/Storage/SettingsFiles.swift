import Dispatch
import Synchronization

/// Saves the small files off the loop, one after the other: an older state never replaces a newer
/// one, and a slow disk delays no press.
///
/// Of each file at most one state is being saved, and one waits: a newer state takes its place, and
/// all who wait are told when that is saved. So not more waits than there are files, however many
/// changes come.
package final class SettingsFiles: Sendable {
    /// Saves a state of a file; false if that failed.
    package typealias Write = @Sendable (RelayStore, Log) -> Bool

    /// The latest state of a file, and the receivers of its result.
    private struct Waiting: Sendable {
        var write: Write
        var receivers: [@Sendable (Bool) -> Void] = []
    }

    /// A file between two calls of `add`.
    private struct Place: Hashable {
        let file: DataFile
        let turn: Int
    }

    private struct State {
        var waiting: [Place: Waiting] = [:]
        /// The number of calls of `add`.
        var turn = 0
        /// The files whose latest state could not be saved.
        var unsaved: Set<DataFile> = []
    }

    /// Where the files are.
    package let store: RelayStore
    private let log: Log
    private let queue = SerialQueue()
    private let state = Mutex(State())

    init(_ store: RelayStore, _ log: Log) {
        self.store = store
        self.log = log
    }

    /// Saves a state of a file, instead of one that waits.
    ///
    /// - Parameters:
    ///   - write: called on another thread.
    ///   - end: called there, with whether this state or a newer one is on the disk.
    package func save(
        _ file: DataFile, _ write: @escaping Write, then end: (@Sendable (Bool) -> Void)? = nil
    ) {
        let (place, isFirst) = state.withLock { state in
            let place = Place(file: file, turn: state.turn)
            let isFirst = state.waiting[place] == nil
            state.waiting[place, default: Waiting(write: write)].write = write
            if let end { state.waiting[place]?.receivers.append(end) }
            return (place, isFirst)
        }
        guard isFirst else { return }
        queue.add { [self] in
            let latest = state.withLock { $0.waiting.removeValue(forKey: place) }
            if let latest { perform(latest, file) }
        }
    }

    /// Does something with several files, after what was to be saved before, and before all that is
    /// saved later: no later state takes the place of one that waits now. Called on another thread.
    package func add(_ work: @escaping @Sendable (RelayStore, Log) -> Void) {
        state.withLock { $0.turn += 1 }
        queue.add { [store, log] in work(store, log) }
    }

    private func perform(_ waiting: Waiting, _ file: DataFile) {
        let isSaved = waiting.write(store, log)
        state.withLock { state in
            if isSaved { state.unsaved.remove(file) } else { state.unsaved.insert(file) }
        }
        for receive in waiting.receivers { receive(isSaved) }
    }

    /// Whether the latest state of a file that was to be saved is not on the disk.
    func isUnsaved(_ file: DataFile) -> Bool { state.withLock { $0.unsaved.contains(file) } }

    /// Waits for what is being saved, at the end of the program.
    package func finish() { queue.finish() }
}

/// A queue that does one thing at a time, off the loop.
package struct SerialQueue: Sendable {
    private let queue = DispatchQueue(label: "work")

    /// A queue without work.
    package init() {}

    /// Adds work, to be done after what was added before.
    package func add(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Does work in its turn, and waits for it on the loop.
    package nonisolated(nonsending) func run<Value: Sendable, Failure>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            add { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }
        return try result.get()
    }

    /// Waits for all work that was added.
    package func finish() { queue.sync {} }
}
