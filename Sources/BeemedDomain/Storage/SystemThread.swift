import Libc
import Synchronization

/// Threads that may wait: Swift's shared pool has one for each processor, and a waiting one is
/// missing there.
package enum SystemThread {
    /// Starts a thread that ends with its body. Without it the program could not go on, so a
    /// system that has none ends the process.
    ///
    /// - Parameter name: at most 15 bytes, for debuggers.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        precondition(startIfPossible(name, stackBytes: nil, body), "no thread '\(name)'")
    }

    /// The same where the caller can do without: false when the system has no more threads.
    ///
    /// - Parameter stackBytes: nil for the system's usual size.
    package static func startIfPossible(
        _ name: String, stackBytes: Int?, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        if let stackBytes { unsafe pthread_attr_setstacksize(&attributes, stackBytes) }
        #if !os(Linux)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let work = unsafe Unmanaged.passRetained(
            Work {
                setName(name)
                body()
            })
        let status = unsafe pthread_create(
            &thread, &attributes,
            { context in
                unsafe SystemThread.begin(context)
                return nil
            }, work.toOpaque())
        if status != 0 { unsafe work.release() }
        return status == 0
    }

    /// Lets the calling thread sleep.
    package static func sleep(seconds: Double) {
        var rest = timespec()
        rest.tv_sec = Int(seconds)
        rest.tv_nsec = Int((seconds - seconds.rounded(.down)) * 1e9)
        var left = timespec()
        // A signal ends a sleep early.
        while unsafe nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }

    /// The work of a new thread.
    private final class Work {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private static func begin(_ context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }

    /// The Glibc module leaves pthread_setname_np(3) out, which does the same (proc(5)).
    private static func setName(_ name: String) {
        #if !os(Linux)
            unsafe pthread_setname_np(name)
        #else
            let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            unsafe _ = write(file, name, name.utf8.count)
            close(file)
        #endif
    }
}

/// Wakes the one thread that waits for this. A signal that comes first is not lost, and several
/// count as one: the thread looks at what there is to do, and not at their number.
///
/// A pipe, since poll(2) waits by a clock that cannot be set. A semaphore of Dispatch waits on
/// Linux until a time of the settable one: set back meanwhile, a press would wait for hours.
package final class ThreadSignal: Sendable {
    private let output, input: Int32
    private let isPending = Atomic(false)

    /// Without a free descriptor the program could not go on.
    package init() {
        var ends: [Int32] = [0, 0]
        precondition(unsafe pipe(&ends) == 0, "no pipe for a thread: error \(errno)")
        (output, input) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(output)
        close(input)
    }

    /// Wakes the thread. Earlier writes are visible to it.
    package func send() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 0
        while unsafe write(input, &byte, 1) < 0, errno == EINTR {}
    }

    /// Waits for a signal. It may end early.
    ///
    /// - Parameter milliseconds: for how long at most; nil for ever.
    package func wait(milliseconds: Int64? = nil) {
        var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let most = milliseconds.map { Int32(clamping: $0) } ?? -1
        guard unsafe poll(&waiting, 1, most) > 0 else { return }
        var byte: UInt8 = 0
        unsafe _ = read(output, &byte, 1)
        // Before the caller looks: a signal that comes while it looks is a new one.
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}

/// Memory that was freed but is still held by the process.
package enum FreedMemory {
    /// Returns it to the system. Rewriting a journal briefly needs several times its size in
    /// memory; glibc keeps freed memory for later allocations of the same thread, which never come.
    /// `malloc_trim` (malloc_trim(3)) releases its whole pages, in all arenas. Other allocators do
    /// that by themselves.
    package static func giveBack() {
        #if canImport(Glibc)
            // The Glibc module lacks malloc.h, and other C libraries of Linux lack the function.
            guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
            typealias Trim = @convention(c) (Int) -> Int32
            _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
        #endif
    }
}
