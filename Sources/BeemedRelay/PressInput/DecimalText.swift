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

    /// Whether the text names infinity or not-a-number, which cannot be summed.
    static func isNotFinite(_ text: String) -> Bool {
        let word = text.lowercased().drop { $0 == "+" || $0 == "-" }
        return ["nan", "inf", "infinity"].contains(String(word))
    }
}
