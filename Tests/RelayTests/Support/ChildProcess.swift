import Foundation
import Synchronization

/// A program in a process and a process group of its own. Foundation's `Process` reads the list of
/// this process's open descriptors past its buffer's end when they are more than some 1,300, and the
/// tests together have more.
final class ChildProcess {
    /// Its process id.
    let identifier: pid_t
    private let end = End()

    #if canImport(Glibc)
        private typealias CloseFrom =
            @convention(c) (
                UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32
            ) -> Int32

        /// Closes all descriptors from a number on in the new process. The Glibc module leaves it
        /// out (glibc 2.34 and later).
        private static let closeFrom = unsafe dlsym(
            nil, "posix_spawn_file_actions_addclosefrom_np"
        ).map { unsafe unsafeBitCast($0, to: CloseFrom.self) }
    #endif

    /// The way it ended: written by the thread that waits for it, before the signal.
    private final class End: Sendable {
        let signal = DispatchSemaphore(value: 0)
        let code = Mutex<Int32?>(nil)

        /// Waits for the process.
        func await(_ process: pid_t) {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            let number = status & 0x7F
            code.withLock { $0 = number == 0 ? (status >> 8) & 0xFF : -number }
            signal.signal()
        }
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - input: its standard input; nil for this process's own.
    ///   - output: its standard output.
    ///   - errors: its standard error; nil for this process's own.
    init(
        _ path: String, _ arguments: [String], environment: [String: String],
        input: FileHandle?, output: FileHandle, errors: FileHandle?
    ) throws {
        #if canImport(Glibc)
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = POSIX_SPAWN_SETPGROUP
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        for (number, handle) in [input ?? .standardInput, output, errors ?? .standardError]
            .enumerated()
        {
            unsafe posix_spawn_file_actions_adddup2(
                &actions, handle.fileDescriptor, Int32(number))
        }
        #if canImport(Glibc)
            unsafe _ = ChildProcess.closeFrom?(&actions, 3)
        #endif
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        let variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, path, &actions, &attributes, words, variables)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        identifier = process
        Thread.detachNewThread { [end, identifier] in end.await(identifier) }
    }

    /// Its exit code, or minus the signal that ended it; nil while it runs.
    var code: Int32? { end.code.withLock { $0 } }

    /// Sends it a signal, if it still runs.
    func send(_ signal: Int32) {
        if code == nil { kill(identifier, signal) }
    }

    /// Waits for its end.
    ///
    /// - Returns: its exit code, or minus the signal that ended it; nil on a hang.
    func wait() -> Int32? {
        if let code { return code }
        guard end.signal.awaitSignal() else { return nil }
        return code
    }
}
