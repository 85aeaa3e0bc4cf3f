import BeemedDomain
import RelayTrunk

extension ImportFields {
    /// Whether a file that begins so is in Beeminder's own format, and no table.
    static func isBeeminders(_ text: ArraySlice<UInt8>) -> Bool {
        let beginning = text.prefix { $0 != 0x22 }
        guard !beginning.contains(where: { [0x2C, 0x3B, 0x09].contains($0) }) else { return false }
        let words = beginning.split { $0 == 0x20 || $0 == 0x0D }
        guard words.count >= 2, let first = words.first else { return false }
        return first.allSatisfy { (0x30...0x39).contains($0) }
            || first.allSatisfy { $0 == UInt8(ascii: "^") }
            || Daystamp(String(decoding: first, as: UTF8.self)) != nil
    }

    /// Reads a line of Beeminder's own format, every part of it: a day, a value, and perhaps a
    /// comment in quotes, as in `2026 11 20 1 "with milk"`. The day may be shorter: `20`, `11 20`,
    /// or `^` for today.
    ///
    /// - Throws: `ImportFault`, which says what to write instead.
    init(beeminders bytes: ArraySlice<UInt8>, line: Int) throws(ImportFault) {
        let scalars = try String(imported: bytes, line).trimmed.unicodeScalars
        let quote = scalars.firstIndex(of: "\"") ?? scalars.endIndex
        let words = scalars[..<quote].split(whereSeparator: \.properties.isWhitespace)
            .map { String($0) }
        guard words.count >= 2 else {
            throw ImportFault(line, "write a day and a value, as in 2026 11 20 1 \"with milk\"")
        }
        let day = words.dropLast().joined(separator: " ")
        guard let read = DayReader.day(day, isText: true) else {
            throw ImportFault(
                line,
                "'\(day.cut(to: 40))' is not a day; write it as in 2026 11 20, and a comment "
                    + "behind the value in quotes")
        }
        self.init(line: line, value: words.last, day: read)
        let quoted = scalars[quote...]
        guard !quoted.isEmpty else { return }
        guard quoted.count >= 2, quoted.last == "\"" else {
            throw ImportFault(line, "the comment must end with a quote, and nothing may follow it")
        }
        comment = String(quoted.dropFirst().dropLast())
    }
}
