/// Decimal numbers as devices write them.
enum DecimalText {
    /// Stands for a number beyond the range of `Double`; the sign does not matter.
    static let tooLarge = Double.infinity

    /// The number, infinite if it is too large; nil for anything but a decimal number:
    /// `Double("0x10")` and `Double("nan")` are accepted by Swift.
    static func value(_ text: String) -> Double? {
        let digits = text.utf8.span
        for index in digits.indices {
            switch digits[index] {
            case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: continue
            default: return nil
            }
        }
        return Double(text)
    }

    /// The amount that a text denotes: a decimal number, or hours as `1:30` or `1:30:45`, which
    /// Beeminder takes, too; nil for anything else.
    static func amount(_ text: String) -> Double? { value(text) ?? hours(text) }

    /// Hours, minutes and perhaps seconds with two digits each but the first.
    private static func hours(_ text: String) -> Double? {
        guard text.utf8.count <= longestHours, text.utf8.contains(0x3A) else { return nil }
        let isNegative = text.utf8.first == 0x2D
        let hasSign = isNegative || text.utf8.first == 0x2B
        let parts = (hasSign ? text.dropFirst() : text[...])
            .split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), !parts[0].isEmpty,
            parts[1...].allSatisfy({ $0.utf8.count == 2 }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count, numbers[1...].allSatisfy({ $0 < 60 }) else {
            return nil
        }
        let seconds = numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
        return Double(isNegative ? -seconds : seconds) / 3_600
    }

    /// The longest such text in bytes, with a sign and six digits of hours.
    private static let longestHours = 13

    /// Whether a comma may separate thousands: three digits follow the last one.
    static func mayBeGrouped(_ text: String) -> Bool {
        guard let comma = text.utf8.lastIndex(of: 0x2C) else { return false }
        let rest = text.utf8[text.utf8.index(after: comma)...]
        return rest.prefix { (0x30...0x39).contains($0) }.count == 3
    }

    /// The longest such word in bytes, with a sign.
    private static let longestWord = 9

    /// Whether the text names infinity or not-a-number, which cannot be summed.
    static func isNotFinite(_ text: String) -> Bool {
        guard text.utf8.count <= longestWord else { return false }
        let word = text.lowercased().drop { $0 == "+" || $0 == "-" }
        return ["nan", "inf", "infinity"].contains(String(word))
    }
}
