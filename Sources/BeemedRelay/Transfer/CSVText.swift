/// Fields as they are written into CSV.
enum CSVText {
    /// Appends a row with CR LF (RFC 4180 section 2).
    static func append(_ fields: [String], to bytes: inout [UInt8]) {
        for (place, field) in fields.enumerated() {
            if place > 0 { bytes.append(0x2C) }
            append(field, to: &bytes)
        }
        bytes += [0x0D, 0x0A]
    }

    private static func append(_ field: String, to bytes: inout [UInt8]) {
        let needsQuotes = field.utf8.contains { [0x22, 0x2C, 0x3B, 0x0A, 0x0D, 0x09].contains($0) }
        guard needsQuotes else { return bytes.append(contentsOf: field.utf8) }
        bytes.append(0x22)
        for byte in field.utf8 {
            if byte == 0x22 { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }

    /// A text that no spreadsheet takes for a formula: comments come from devices, and a formula
    /// could send the sheet's contents elsewhere when the owner opens it. `unguarded` undoes it.
    static func guarded(_ text: String) -> String {
        isLikeFormula(text) ? "'" + text : text
    }

    /// The text without the apostrophe of `guarded`.
    static func unguarded(_ text: String) -> String {
        text.first == "'" && isLikeFormula(text) ? String(text.dropFirst()) : text
    }

    /// Whether it begins like a formula, behind any number of apostrophes.
    private static func isLikeFormula(_ text: String) -> Bool {
        switch text.utf8.first(where: { $0 != UInt8(ascii: "'") }) {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09,
            0x0A, 0x0D:
            true
        default: false
        }
    }
}
