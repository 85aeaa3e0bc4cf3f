import BeemedDomain
import Libc
import RelayHTTP

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

    /// Calls a closure for each signal. SIGHUP has the settings read again, or ends the process
    /// like the others where nobody rereads, as when a terminal is closed. The second one that asks
    /// to end ends the process at once.
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

/// Reports the state of the service to systemd (sd_notify(3)), if it has named a socket for that.
package enum Supervisor {
    /// Sends assignments such as `READY=1`, one a line.
    package static func tell(_ state: String) {
        guard let path = unsafe getenv("NOTIFY_SOCKET") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with '@' is in the abstract namespace, which has a zero there.
        var name = unsafe Array(String(cString: path).utf8)
        guard name.count > 1, name.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return
        }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        #if !os(Linux)
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let message = Array(state.utf8)
        unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe _ = sendto(descriptor, message, message.count, 0, address, length)
            }
        }
    }
}

extension Invocation {
    /// Reads the settings again, as at the start, and hands them on. A mistake in them changes
    /// nothing.
    package func reread(_ change: (Settings) -> Void) {
        Supervisor.tell("RELOADING=1\nMONOTONIC_USEC=\(Instant.monotonicNanoseconds / 1_000)")
        do throws(Failure) {
            change(try Settings(arguments, environment: environment))
        } catch {
            Log.standard.error("the settings stay as they were", [("mistakes", error.message)])
        }
        Supervisor.tell("READY=1")
    }
}
