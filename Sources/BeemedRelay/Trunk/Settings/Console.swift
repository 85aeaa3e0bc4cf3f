import BeemedDomain
import Libc

/// Standard output and error, unbuffered: a script may wait for the line that says "ready".
package enum Console {
    /// Prints a line on standard output.
    package static func output(_ line: String) {
        write(harmless(line), to: STDOUT_FILENO)
    }

    /// JSON, which is for programs and keeps its meaning.
    static func output(json: String) {
        write(harmless(json: json), to: STDOUT_FILENO)
    }

    /// Prints bytes as they are; standard output may be a file on a full disk.
    package static func output(_ bytes: [UInt8]) throws(Failure) {
        do throws(DiskError) {
            try PrivateFile.writeAll(bytes, to: STDOUT_FILENO)
        } catch {
            // A reader that is gone needs no more.
            guard error.code != EPIPE else { return }
            throw Failure(.ioError, "standard output cannot be written: \(error)")
        }
    }

    /// Prints a line on standard error.
    package static func error(_ line: String) {
        write(harmless(line), to: STDERR_FILENO)
    }

    static func error(_ lines: [UInt8]) {
        write(lines, to: STDERR_FILENO)
    }

    /// Whether standard output is a terminal, which does not store the text.
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard input is a terminal, at which a person can answer.
    package static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    /// A notice for a person, on standard error: what is printed stays data.
    package static func notice(_ line: String) { error("beemed-relay: \(line)") }

    private static func write(_ line: String, to descriptor: Int32, end: String = "\n") {
        write(Array((line + end).utf8), to: descriptor)
    }

    /// When the reader is gone, the line is dropped.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        try? PrivateFile.writeAll(bytes, to: descriptor)
    }

    /// Asks for a secret on the terminal of standard input, without showing it; nil at the end
    /// of the input.
    package static func secret(_ question: String) -> String? {
        var state = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &state) == 0 else { return readLine() }
        var silent = state
        silent.c_lflag &= ~tcflag_t(ECHO)
        // Ctrl-C must not leave a terminal that shows nothing.
        signal(SIGINT) { signal in
            var state = termios()
            unsafe tcgetattr(STDIN_FILENO, &state)
            state.c_lflag |= tcflag_t(ECHO)
            unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
            _exit(128 + signal)
        }
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        write(question, to: STDERR_FILENO, end: "")
        let line = readLine()
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
        error("")
        return line
    }

    /// Rows of cells below headings, in aligned columns; nothing without rows.
    package static func table(_ headings: [String], _ given: [[String]]) {
        guard !given.isEmpty else { return }
        let rows = [headings] + given.map { row in row.map(plain) }
        let widths = headings.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            let cells = row[..<last].indices.map { row[$0].padded(to: widths[$0]) } + [row[last]]
            output(cells.joined(separator: "  "))
        }
    }

    /// A JSON object as a line, its members in the order of their names.
    package static func json(_ object: [String: any Encodable]) {
        output(json: String(decoding: JSONMembers(object).bytes, as: UTF8.self))
    }

    /// A Unix time in the machine's time zone: `2026-11-18 10:33:12`.
    static func localTime(_ seconds: Int64) -> String {
        let (nanoseconds, isTooGreat) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooGreat else { return "\(seconds)" }
        return String(LocalTime.text(nanoseconds).prefix(19)).replacing("T", with: " ")
    }

    // MARK: Texts of devices and servers
    // They must neither move the cursor, nor colour the text behind them, nor turn letters around.

    /// A text of others as a part of one line: every control character is replaced.
    package static func plain(_ text: String) -> String {
        harmless(text, keeping: [], by: { _ in "\u{FFFD}" })
    }

    /// A text of this program, in which lines and columns are its own.
    package static func harmless(_ text: String) -> String {
        harmless(text, keeping: [0x09, 0x0A], by: { _ in "\u{FFFD}" })
    }

    /// JSON with the same meaning: outside of its texts there are no such characters but the ends
    /// of lines, and within them any may be escaped (RFC 8259 section 7).
    package static func harmless(json: String) -> String {
        harmless(json, keeping: [0x09, 0x0A, 0x0D]) { scalar in
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// Whether a terminal may act on a character instead of showing it.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0, DEL and C1; embeddings, overrides and isolates (Unicode Standard Annex 9).
        case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func harmless(
        _ text: String, keeping kept: Set<UInt32>, by replacement: (Unicode.Scalar) -> String
    ) -> String {
        func isReplaced(_ scalar: Unicode.Scalar) -> Bool {
            isControl(scalar) && !kept.contains(scalar.value)
        }
        guard text.unicodeScalars.contains(where: isReplaced) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isReplaced(scalar) {
                result += replacement(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
