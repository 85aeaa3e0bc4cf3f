/// Decimal numbers as devices write them.
enum DecimalText {
    /// A number beyond what a `Double` can hold; its sign does not matter.
    static let tooLarge = Double.infinity

    /// The number, which is infinite when it is too large; nil for anything but a decimal number:
    /// `Double("0x10")` and `Double("nan")` are numbers too.
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

    /// Whether it is a name for what no sum can hold: infinity, or no number at all.
    static func isNotFinite(_ text: String) -> Bool {
        let word = text.lowercased().drop { $0 == "+" || $0 == "-" }
        return ["nan", "inf", "infinity"].contains(String(word))
    }
}
