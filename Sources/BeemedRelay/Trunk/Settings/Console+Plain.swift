/// What reaches a terminal from devices and servers: their text must neither move the cursor, nor
/// colour what follows, nor turn the order of letters around.
extension Console {
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

    /// Whether a terminal may act on it instead of showing it.
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
