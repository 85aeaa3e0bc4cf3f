import Foundation

/// Signals as ordinary events: a thread waits for them, so that no code runs in a handler.
enum Signals {
    private static let watched = [SIGTERM, SIGINT]

    /// Must be called before any thread starts, since threads inherit the signal mask.
    ///
    /// By default SIGPIPE would end the process when a client disconnects, and SIGXFSZ at a limit
    /// on file sizes, with half a record on the disk; ignored, both are reported as errors.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var set = mask()
        unsafe _ = pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls the closure when the process is asked to end. The second signal ends it at once.
    static func onTermination(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            wait()
            body()
            wait()
            exit(ExitCode.tempFail.rawValue)
        }
        thread.name = "signals"
        thread.start()
    }

    private static func wait() {
        var set = mask()
        var signal: Int32 = 0
        unsafe _ = sigwait(&set, &signal)
    }

    private static func mask() -> sigset_t {
        var set = sigset_t()
        unsafe _ = sigemptyset(&set)
        for signal in watched { unsafe _ = sigaddset(&set, signal) }
        return set
    }
}
