import Dispatch
import Synchronization

/// Saves the small files off the loop, one after the other: an older state never replaces a newer
/// one, and a slow disk delays no press.
package final class SettingsFiles: Sendable {
    /// Where the files are.
    package let store: RelayStore
    private let log: Log
    private let queue = SerialQueue()
    /// The files whose latest state could not be saved.
    private let unsaved = Mutex<Set<DataFile>>([])
    private let isFinished = Atomic(false)

    init(_ store: RelayStore, _ log: Log) {
        self.store = store
        self.log = log
    }

    /// Saves a state of a file on another thread, where `end` is told whether it is on the disk.
    package func save(
        _ file: DataFile, _ write: @escaping @Sendable (RelayStore, Log) -> Bool,
        then end: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard !isFinished.load(ordering: .acquiring) else { return end?(false) ?? () }
        queue.add { [self] in
            let isSaved = write(store, log)
            unsaved.withLock { unsaved in
                if isSaved { unsaved.remove(file) } else { unsaved.insert(file) }
            }
            end?(isSaved)
        }
    }

    /// Saves the value in use when its turn begins, and returns whether it is on the disk.
    nonisolated(nonsending) func save<Value: Encodable & Sendable>(
        as file: DataFile, _ present: () -> Value
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let value = present()
            save(file, { $0.save(value, as: file, $1) }) { continuation.resume(returning: $0) }
        }
    }

    /// Changes an entry of a book without a request for that; it is saved soon.
    package func amend<Entry: BookEntry>(
        _ name: String, in live: LiveBook<Entry>, _ edit: (inout Entry) -> Void
    ) {
        guard var entry = live.book[name] else { return }
        edit(&entry)
        live.book[name] = entry
        save(Entry.file) { [book = live.book] in $0.save(book, as: Entry.file, $1) }
    }

    /// Does something with several files on another thread, in its turn among what is saved.
    package func add(_ work: @escaping @Sendable (RelayStore, Log) -> Void) {
        guard !isFinished.load(ordering: .acquiring) else { return }
        queue.add { [store, log] in work(store, log) }
    }

    /// Whether the latest state of a file that was to be saved is not on the disk.
    func isUnsaved(_ file: DataFile) -> Bool { unsaved.withLock { $0.contains(file) } }

    /// Waits for what is being saved, and saves no more: an answer of Beeminder may come when the
    /// folder is another relay's already.
    package func finish() {
        isFinished.store(true, ordering: .releasing)
        queue.finish()
    }
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
