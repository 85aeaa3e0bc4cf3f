import Dispatch

/// Saves the small files off the loop, one after the other: an older state never replaces a newer
/// one, and a slow disk delays no press.
package struct SettingsFiles: Sendable {
    /// Where the files are.
    package let store: RelayStore
    private let log: Log
    private let queue = SerialQueue()

    init(_ store: RelayStore, _ log: Log) {
        self.store = store
        self.log = log
    }

    /// Saves something, after what was to be saved before. Called on another thread.
    package func save(_ write: @escaping @Sendable (RelayStore, Log) -> Void) {
        queue.add { [store, log] in write(store, log) }
    }

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
