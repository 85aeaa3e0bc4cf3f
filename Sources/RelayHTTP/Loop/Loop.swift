import Libc
import Synchronization

/// A component that runs on a loop: a server, or a relay with timers.
package protocol LoopSource: AnyObject, Sendable {
    /// Called once in every turn of the loop, on its thread.
    ///
    /// - Parameter ready: the ready descriptors of this source.
    /// - Returns: when the next call is due at the latest; nil without a deadline.
    func turn(_ ready: [Ready], now: Instant) -> Instant?
}

/// A thread that owns the sockets and makes all decisions about them.
///
/// An executor of actors and of tasks: the compiler checks the isolation, no locks are needed, and
/// two actors on one loop call each other without a hop. A turn waits, runs the closures that other
/// threads have posted, then calls every source, in the order of `add`.
package final class Loop: SerialExecutor, TaskExecutor {
    private struct Mailbox: Sendable {
        var work: [@Sendable () -> Void] = []
        var sources: [any LoopSource] = []
        var isStopped = false
    }

    let poller = Poller()
    private let mailbox = Mutex(Mailbox())
    private let thread = Atomic<UInt>(0)

    /// Creates a loop that does not run yet.
    package init() {}

    /// Runs on the calling thread until `stop()`, then releases the sources: they hold the loop,
    /// and the reference cycle would never be freed.
    package func run() {
        thread.store(Loop.currentThread, ordering: .releasing)
        var ready: [Ready] = []
        var deadline: Instant?
        var alarm = Instant.distantPast
        while true {
            poller.wait(until: deadline, now: .now, &alarm, into: &ready)
            let (work, isStopped) = mailbox.withLock { mailbox in
                defer { mailbox.work = [] }
                return (mailbox.work, mailbox.isStopped)
            }
            for closure in work { closure() }
            guard !isStopped else { break }
            deadline = turnSources(ready)
        }
        mailbox.withLock { $0.sources.removeAll() }
    }

    /// Ends `run()` after the current turn.
    package func stop() {
        mailbox.withLock { $0.isStopped = true }
        poller.ring()
    }

    /// Runs the closure on the loop, in the order of the calls.
    package func post(_ closure: @escaping @Sendable () -> Void) {
        let isFirst = mailbox.withLock { mailbox in
            mailbox.work.append(closure)
            return mailbox.work.count == 1
        }
        if isFirst { poller.ring() }
    }

    /// Adds a source, and returns its number: the top byte of the tokens that it may use.
    @discardableResult
    package func add(_ source: any LoopSource) -> UInt8 {
        let number = mailbox.withLock { mailbox in
            mailbox.sources.append(source)
            return UInt8(mailbox.sources.count - 1)
        }
        poller.ring()
        return number
    }

    private func turnSources(_ ready: [Ready]) -> Instant? {
        let sources = mailbox.withLock { $0.sources }
        let now = Instant.now
        var deadline: Instant?
        for (number, source) in sources.enumerated() {
            let own = ready.filter { Int($0.token >> 56) == number }
            guard let next = source.turn(own, now: now) else { continue }
            deadline = min(deadline ?? next, next)
        }
        return deadline
    }

    // MARK: SerialExecutor

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedSerialExecutor()
        post { unsafe job.runSynchronously(on: executor) }
    }

    /// SE-0471: lets `assumeIsolated` succeed on the loop's thread outside of a job.
    package func isIsolatingCurrentContext() -> Bool? {
        thread.load(ordering: .acquiring) == Loop.currentThread
    }

    private static var currentThread: UInt {
        #if !os(Linux)
            unsafe UInt(bitPattern: pthread_self())
        #else
            pthread_self()
        #endif
    }
}
