import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Signals as ordinary events: a thread waits for them, so that no code runs in a handler.
package enum Signals {
    private static let watched = [SIGTERM, SIGINT, SIGHUP]

    /// Must be called before any thread starts, since threads inherit the signal mask.
    ///
    /// By default SIGPIPE would end the process when a client disconnects, and SIGXFSZ at a limit
    /// on file sizes, with half a record on the disk; ignored, both are reported as errors.
    package static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        var set = mask()
        unsafe _ = pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls a closure for each signal. The second one that asks to end ends the process at once.
    ///
    /// - Parameters:
    /// - reread: called for SIGHUP, which never ends the process then; nil lets it end the process
    /// like the others, as when a terminal is closed. - end: called when the process is asked to
    /// end.
    package static func watch(
        reread: (@Sendable () -> Void)? = nil, end: @escaping @Sendable () -> Void
    ) {
        SystemThread.start("signals") {
            var isEnding = false
            while true {
                if wait() == SIGHUP, let reread {
                    reread()
                } else if isEnding {
                    ExitCode.exit(.tempFail)
                } else {
                    isEnding = true
                    end()
                }
            }
        }
    }

    private static func wait() -> Int32 {
        var set = mask()
        var signal: Int32 = 0
        unsafe _ = sigwait(&set, &signal)
        return signal
    }

    private static func mask() -> sigset_t {
        var set = sigset_t()
        unsafe _ = sigemptyset(&set)
        for signal in watched { unsafe _ = sigaddset(&set, signal) }
        return set
    }
}
