#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Standard output and error, unbuffered, line by line: a script may wait for the line that says
/// "ready".
enum Console {
    static func output(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    static func error(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// Whether standard output is a terminal, which does not store the text.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array("\(line)\n".utf8)
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    unsafe Darwin.write(
                        descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                #else
                    unsafe Glibc.write(
                        descriptor, bytes.baseAddress?.advanced(by: start), bytes.count - start)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }  // The reader is gone; the line is dropped.
            start += count
        }
    }
}
