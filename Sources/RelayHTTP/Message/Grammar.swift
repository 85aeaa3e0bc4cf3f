/// Small grammar rules for which the standard library is too lenient.
enum Grammar {
    /// `1*DIGIT` only: `Int("+5")` is 5, but RFC 9110 section 8.6 forbids the sign. A number that is
    /// too large is `Int.max`.
    static func decimal(_ digits: borrowing Span<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        for index in digits.indices where !(0x30...0x39).contains(digits[index]) { return nil }
        return Int(String(copying: digits)) ?? .max
    }

    static func equals(_ bytes: borrowing Span<UInt8>, _ word: StaticString) -> Bool {
        equals(bytes, word) { $0 }
    }

    /// Whether these bytes are this word, in any case. The word is given in lower case.
    static func spells(_ bytes: borrowing Span<UInt8>, _ word: StaticString) -> Bool {
        equals(bytes, word, ASCII.lowercased)
    }

    static func isLowercase(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { unsafe $0.allSatisfy { ASCII.lowercased($0) == $0 } }
    }

    private static func equals(
        _ bytes: borrowing Span<UInt8>, _ word: StaticString, _ change: (UInt8) -> UInt8
    ) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        let letters = unsafe word.utf8Start
        for index in bytes.indices where unsafe change(bytes[index]) != letters[index] {
            return false
        }
        return true
    }

    /// `uri-host [ ":" port ]` of RFC 9110 section 7.2, with RFC 3986's characters.
    static func isHost(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= maxHostBytes else { return false }
        var index = 0
        if bytes[0] == 0x5B {  // [IPv6]
            index = 1
            while index < bytes.count, bytes[index] != 0x5D {
                let byte = bytes[index]
                let isPart = ASCII.hexValue(byte) != nil || byte == ASCII.colon || byte == 0x2E
                guard isPart else { return false }
                index += 1
            }
            guard index < bytes.count, index > 2 else { return false }  // At least `::`.
            index += 1
        } else {
            while index < bytes.count, bytes[index] != ASCII.colon {
                // `reg-name` without the characters that no host here uses.
                guard ASCII.isUnreserved(bytes[index]) else { return false }
                index += 1
            }
            guard index > 0 else { return false }
        }
        guard index < bytes.count else { return true }
        guard bytes[index] == ASCII.colon else { return false }
        // `port = *DIGIT` of RFC 3986 section 3.2.3; an empty one is legal, 65,536 is not.
        let port = bytes.extracting((index + 1)...)
        guard !port.isEmpty else { return true }
        guard port.count <= 5, let number = decimal(port) else { return false }
        return number <= 65_535
    }

    /// Twice as long as a name can be (RFC 1035 section 2.3.4).
    private static let maxHostBytes = 512
}
