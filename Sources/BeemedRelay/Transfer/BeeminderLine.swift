import BeemedDomain
import RelayTrunk

/// A line of Beeminder's own format: a day, a value, and perhaps a comment in quotes, as in
/// `2026 11 20 1 "with milk"`. The day may be shorter: `20`, `11 20`, or `^` for today.
enum BeeminderLine {
    /// Whether a file that begins so is in this format, and no table.
    static func isLikely(_ text: ArraySlice<UInt8>) -> Bool {
        let beginning = text.prefix { $0 != 0x22 }
        guard !beginning.contains(where: { [0x2C, 0x3B, 0x09].contains($0) }) else { return false }
        let words = beginning.split { $0 == 0x20 || $0 == 0x0D }
        guard words.count >= 2, let first = words.first else { return false }
        return first.allSatisfy { (0x30...0x39).contains($0) }
            || first.allSatisfy { $0 == UInt8(ascii: "^") }
            || Daystamp(String(decoding: first, as: UTF8.self)) != nil
    }

    /// Reads a line, every part of it.
    ///
    /// - Throws: `ImportFault`, which says what to write instead.
    static func fields(_ line: LineReader.Line) throws(ImportFault) -> ImportFields {
        func fault(_ detail: String) -> ImportFault {
            ImportFault(line: line.number, detail: detail)
        }
        guard let text = String(validating: line.text, as: UTF8.self)?.trimmed else {
            throw fault("this is not UTF-8; save the file as UTF-8")
        }
        let scalars = text.unicodeScalars
        let quote = scalars.firstIndex(of: "\"") ?? scalars.endIndex
        let words = scalars[..<quote].split(whereSeparator: \.properties.isWhitespace)
            .map { String($0) }
        guard words.count >= 2 else {
            throw fault("write a day and a value, as in 2026 11 20 1 \"with milk\"")
        }
        let day = words.dropLast().joined(separator: " ")
        guard let read = DayReader.day(day, isText: true) else {
            throw fault(
                "'\(day.prefix(40))' is not a day; write it as in 2026 11 20, and a comment behind "
                    + "the value in quotes")
        }
        var fields = ImportFields(line: line.number)
        (fields.day, fields.value) = (read, words[words.count - 1])
        guard quote < scalars.endIndex else { return fields }
        let quoted = scalars[quote...]
        guard quoted.count >= 2, quoted.last == "\"" else {
            throw fault("the comment must end with a quote, and nothing may follow it")
        }
        fields.comment = String(quoted.dropFirst().dropLast())
        return fields
    }
}
