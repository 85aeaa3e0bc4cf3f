import RelayTrunk

/// Fields as they are written into CSV.
enum CSVText {
    /// Writes a row with CR LF (RFC 4180 section 2).
    static func write(_ fields: [String], to bytes: inout [UInt8]) {
        let cells = fields.map { field -> [UInt8] in
            let text = Array(field.utf8)
            guard text.contains(where: quoted.contains) else { return text }
            return [0x22] + text.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] } + [0x22]
        }
        bytes += cells.joined(separator: [0x2C]) + [0x0D, 0x0A]
    }

    /// Bytes for which a field needs quotes.
    private static let quoted = Array("\",;\n\r\t".utf8)

    /// A text that no spreadsheet takes for a formula, in whatever columns it divides the line:
    /// comments come from devices, and a formula could send the sheet's contents elsewhere when the
    /// owner opens it. An apostrophe stands before each position that looks like one, and before
    /// each that has apostrophes already, so that `unguarded` can remove them.
    static func guarded(_ text: String) -> String {
        rewritten(text) { result, _ in result.append("'") }
    }

    /// The text without the apostrophes of `guarded`.
    static func unguarded(_ text: String) -> String {
        rewritten(text) { _, rest in if rest.first == "'" { rest.removeFirst() } }
    }

    /// Calls with the written part and the rest, at each position that looks like a formula.
    private static func rewritten(
        _ text: String,
        at formula: (
            _ result: inout String.UnicodeScalarView, _ rest: inout Substring.UnicodeScalarView
        )
            -> Void
    ) -> String {
        var result = String.UnicodeScalarView()
        var rest = Substring(text).unicodeScalars
        var isStart = true
        while !rest.isEmpty {
            if isLikeFormula(rest, isStart: isStart) { formula(&result, &rest) }
            isStart = false
            // Other programs may divide the line behind any of these.
            let end = rest.firstIndex { separators.contains($0) }
            let next = end.map { rest.index(after: $0) } ?? rest.endIndex
            result.append(contentsOf: rest[..<next])
            rest = rest[next...]
        }
        return String(result)
    }

    private static let separators: Set<Unicode.Scalar> = [";", "\t", "\n", "\r"]
    /// Also as wide as a letter of East Asian writing: Excel there takes them for the same.
    private static let operators: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]
    /// Invisible characters that may stand before a formula, and the apostrophes of `guarded`.
    private static let skipped: Set<Unicode.Scalar> = ["'", "\"", " ", "\u{A0}", "\u{3000}"]

    /// Whether a cell that begins here may be a formula.
    ///
    /// - Parameter isStart: whether this is the start of the text, where a separator counts, too.
    private static func isLikeFormula(
        _ rest: Substring.UnicodeScalarView, isStart: Bool
    ) -> Bool {
        guard let first = rest.first(where: { !skipped.contains($0) }) else { return false }
        return operators.contains(first)
            || isStart && first != ";" && separators.contains(first)
    }
}
