#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Standard output and error, unbuffered, line by line: a script may wait for the line that says
/// "ready".
package enum Console {
    /// Prints a line on standard output.
    package static func output(_ line: String) {
        write(harmless(line), to: STDOUT_FILENO)
    }

    /// JSON, which is for programs and keeps its meaning.
    static func output(json: String) {
        write(harmless(json: json), to: STDOUT_FILENO)
    }

    /// Prints a line on standard error.
    package static func error(_ line: String) {
        write(harmless(line), to: STDERR_FILENO)
    }

    /// Whole lines on standard error.
    static func error(_ lines: [UInt8]) {
        write(lines, to: STDERR_FILENO)
    }

    /// Whether standard output is a terminal, which does not store the text.
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether this path names a terminal.
    package static func isTerminal(at path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
            return false
        }
        let file = unsafe open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        defer { if file >= 0 { _ = close(file) } }
        return file >= 0 && isatty(file) == 1
    }

    /// Whether standard error is a terminal, at which a person waits.
    package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether standard input is a terminal, at which a person can answer.
    package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    /// A notice for a person, on standard error: what is printed stays data.
    package static func notice(_ line: String) { error("beemed-relay: \(line)") }

    /// A question on standard error, without an end of line.
    package static func prompt(_ question: String) {
        write(question, to: STDERR_FILENO, end: "")
    }

    private static func write(_ line: String, to descriptor: Int32, end: String = "\n") {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.utf8.count + end.utf8.count)
        bytes.append(contentsOf: line.utf8)
        bytes.append(contentsOf: end.utf8)
        write(bytes, to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
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
