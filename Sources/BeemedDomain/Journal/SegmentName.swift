/// The names of the journal's files: `00000007.jnl`, and `.tmp` while it is being written.
enum SegmentName {
    static func live(_ segment: Int) -> String { digits(segment) + ".jnl" }

    static func temporary(_ segment: Int) -> String { digits(segment) + ".tmp" }

    /// The number of a live segment's file, or nil for any other name.
    static func number(_ name: String) -> Int? {
        guard name.hasSuffix(".jnl"), name.utf8.count >= 12 else { return nil }
        let digits = name.dropLast(4)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // So great a number that the next one would overflow was never written.
        return Int(digits).flatMap { $0 < 1 << 31 ? $0 : nil }
    }

    static func isTemporary(_ name: String) -> Bool { name.hasSuffix(".tmp") }

    static func digits(_ segment: Int) -> String {
        let digits = "\(segment)"
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
