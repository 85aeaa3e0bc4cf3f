package import BeemedDomain

/// Reads days, and datapoints in Beeminder's text format: `2026 11 18 3 "x"`, `18 3 "x"`, `^^ 3`
/// (the `urtext` of the web and the official app).
package enum DayReader {
    /// A day: `20261118` or `2026-11-18`. With a time behind it the written day counts, and with
    /// the difference from UTC, too, the goal's day around that moment.
    ///
    /// - Parameter isText: whether Beeminder's shorter forms are allowed too.
    package static func day(_ text: String, isText: Bool) -> PressDay? {
        let text = text.trimmed
        if let day = Daystamp(text) {
            guard text.utf8.count > 10 else { return .on(day) }
            guard let written = WrittenDate(text) else { return nil }
            return written.moment.map(PressDay.at) ?? .on(day)
        }
        guard isText else { return nil }
        guard text.utf8.count <= DayReader.longestDay else { return nil }
        if !text.isEmpty, text.allSatisfy({ $0 == "^" }) {
            return .ago(days: text.utf8.count - 1)
        }
        let words = text.split(separator: " ")
        let numbers = words.compactMap { word in word.utf8.count <= 4 ? Int(word) : nil }
        guard numbers.count == words.count, numbers.allSatisfy({ $0 > 0 }) else { return nil }
        switch numbers.count {
        case 1 where numbers[0] <= 31: return .latest(month: nil, day: numbers[0])
        case 2 where numbers[0] <= 12 && numbers[1] <= 31:
            return .latest(month: numbers[0], day: numbers[1])
        case 3:
            return Daystamp(year: numbers[0], month: numbers[1], day: numbers[2]).map(PressDay.on)
        default: return nil
        }
    }

    /// The longest text of a day, in bytes: `^` for each of 35 days back, and one for today.
    private static let longestDay = 36

    /// More words than a day and a value have; what follows is one more.
    private static let maxWords = 8

    /// Reads a text that may be a datapoint in Beeminder's format. A single number with a comment
    /// is not: that is today's value.
    ///
    /// - Returns: nil if the text does not begin with a day.
    /// - Throws: `Problem` if day, value and comment cannot be told apart, or if it may be a number
    ///   with grouped digits, as in `10 000`.
    package static func datapoint(
        _ text: String
    ) throws(Problem) -> (day: String, value: String, comment: String?)? {
        // By scalars, and no more words than tell: characters of a stranger's text may be long.
        let scalars = text.unicodeScalars
        let quote = scalars.firstIndex(of: "\"") ?? scalars.endIndex
        let words = scalars[..<quote].split(
            maxSplits: DayReader.maxWords, whereSeparator: \.properties.isWhitespace
        ).map(String.init)
        let leading = words.prefix { isDayWord($0) || DecimalText.amount($0) != nil }
        guard leading.count >= 2, isDayWord(leading[0]) else { return nil }
        let (isQuoted, value) = (quote < text.endIndex, words[words.count - 1])
        let day = words.dropLast().joined(separator: " ")
        let comment = isQuoted ? quoted(text[quote...]) : nil
        guard leading.count == words.count, words.dropLast().allSatisfy(isDayWord),
            self.day(day, isText: true) != nil, DecimalText.amount(value) != nil,
            !isGrouped(words, in: scalars[..<quote], isQuoted: isQuoted),
            comment != nil || !isQuoted
        else { throw .unreadText }
        return (day, value, comment)
    }

    /// Whether two numbers may be one: the second has three digits before its point, or the blank
    /// between them is one that is used for nothing else. A comment in quotes makes a day of the
    /// first, but not with a second number such as 000.
    private static func isGrouped(
        _ words: [String], in scalars: String.UnicodeScalarView.SubSequence, isQuoted: Bool
    ) -> Bool {
        guard words.count == 2, words[0].utf8.count <= 3, words[0].utf8.first != UInt8(ascii: "^")
        else { return false }
        let whole = words[1].prefix { $0 != "." }
        let isThousands = whole.utf8.count == 3 && whole.allSatisfy(\.isWholeNumber)
        if isQuoted { return isThousands && whole.hasPrefix("0") }
        return isThousands || scalars.contains { $0.properties.isWhitespace && !$0.isASCII }
    }

    /// A word that a day may begin with: `^`, digits, or `2026-11-18`.
    package static func isDayWord(_ word: String) -> Bool {
        word.utf8.allSatisfy { $0 == UInt8(ascii: "^") }
            || word.utf8.allSatisfy { (0x30...0x39).contains($0) }
            || Daystamp(word) != nil
    }

    /// The text between the quotes; nil without a quote at the end: then something behind it was
    /// not read, or the text was cut.
    static func quoted(_ text: Substring) -> String? {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return nil }
        return String(text.unicodeScalars.dropFirst().dropLast())
    }
}
