import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Console {
    /// Asks for a secret on the terminal of standard input, without showing what is typed.
    ///
    /// - Returns: the line; nil at the end of the input.
    package static func secret(_ question: String) -> String? {
        var state = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &state) == 0 else { return readLine() }
        var silent = state
        silent.c_lflag &= ~tcflag_t(ECHO)
        restoreOnInterrupt(state)
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        prompt(question)
        let line = readLine()
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
        error("")
        return line
    }

    /// Ctrl-C must not leave a terminal that shows nothing: a thread waits for it, puts the state
    /// back and ends the program.
    private static func restoreOnInterrupt(_ state: termios) {
        var interrupt = sigset_t()
        unsafe sigemptyset(&interrupt)
        unsafe sigaddset(&interrupt, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &interrupt, nil)
        SystemThread.start("interrupt") {
            var (set, state) = (sigset_t(), state)
            var signal: Int32 = 0
            unsafe sigemptyset(&set)
            unsafe sigaddset(&set, SIGINT)
            unsafe sigwait(&set, &signal)
            unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
            error("")
            exit(128 + signal)
        }
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

    /// One JSON object as a line, its members in the order of their names.
    package static func json(_ object: [String: any Encodable]) {
        output(json: String(decoding: JSONMembers(object).data, as: UTF8.self))
    }

    /// A Unix time in the machine's time zone: `2026-11-18 10:33:12`.
    static func localTime(_ seconds: Int64) -> String {
        var clock = LocalTime()
        let (nanoseconds, isTooGreat) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isTooGreat else { return "\(seconds)" }
        return String(clock.text(nanoseconds).prefix(19)).replacing("T", with: " ")
    }
}
