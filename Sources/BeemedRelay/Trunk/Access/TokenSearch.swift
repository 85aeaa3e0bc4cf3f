import RelayHTTP

/// Looks through a text in any form, JSON, a form or several parts, for the words behind `token`
/// that are as long as one, in one pass by bytes. To read the text takes ten to a hundred times as
/// long, and anybody may send it.
struct TokenSearch {
    /// Whether the word itself is there.
    private(set) var hasName = false
    /// The words behind it, in order.
    private(set) var candidates: [String] = []

    private static let name = Array("token".utf8)
    /// How many names are looked at, how many words that begin like one, and how many bytes with
    /// which one may begin.
    private static let maxNames = 4
    private static let maxBeginnings = 512
    private static let maxMarks = 3_072
    /// How many words behind each name may be the token, and how far behind it they begin, in
    /// bytes: a part of a form may have its type first.
    private static let maxBehindName = 3
    private static let bytesBehindName = 192
    /// How many candidates there may be: each costs a digest, that of a button eight.
    private static let most = 8
    /// The lengths of a token, in bytes.
    private static let lengths = 12...128

    private var hasButton = false

    init(_ text: borrowing Span<UInt8>) {
        var names = 0
        var beginnings = 0
        var index = 0
        var marks = 0
        while marks < TokenSearch.maxMarks {
            index += TokenSearch.bytesBeforeName(text.extracting(index...))
            guard index < text.count else { return }
            defer { index += 1 }
            marks += 1
            guard let start = TokenSearch.beginning(text, at: index) else { continue }
            beginnings += 1
            if let end = TokenSearch.nameEnd(text, from: start) {
                hasName = true
                names += 1
                takeWords(text, from: end)
            }
            guard names < TokenSearch.maxNames, beginnings < TokenSearch.maxBeginnings else {
                return
            }
        }
    }

    /// How many bytes come before the first with which a name may begin. Most bytes of a stranger's
    /// body pass here and nowhere else; from zero on, an index needs no check of its own.
    private static func bytesBeforeName(_ text: borrowing Span<UInt8>) -> Int {
        var index = 0
        while index < text.count, !mayBeginName(text[index]) { index += 1 }
        return index
    }

    /// Whether a byte is `t` or `T`, or `4`, with which each escape of these ends; or a single
    /// control character, so that this is one comparison.
    @inline(__always)
    private static func mayBeginName(_ byte: UInt8) -> Bool { byte & 0x9F == 0x14 }

    /// Where the name begins whose first letter, or the end of its escape, may stand there.
    @inline(__always)
    private static func beginning(_ text: borrowing Span<UInt8>, at index: Int) -> Int? {
        if text[index] != UInt8(ascii: "4") {
            let hasNext = index + 1 < text.count && text[index + 1] | 0x20 == UInt8(ascii: "o")
            return hasNext ? index : nil
        }
        guard index >= 2, text[index - 1] | 2 == UInt8(ascii: "7") else { return nil }
        if text[index - 2] == UInt8(ascii: "%") { return index - 2 }
        return index >= 5 && text[index - 5] == UInt8(ascii: "\\") ? index - 5 : nil
    }

    /// Where the name ends that begins there and is a word of its own; nil where none does.
    private static func nameEnd(_ text: borrowing Span<UInt8>, from start: Int) -> Int? {
        if start > 0, isLetter(text[start - 1]) { return nil }
        var index = start
        for letter in name {
            guard index < text.count, next(text, &index) | 0x20 == letter else { return nil }
        }
        return index < text.count && isLetter(text[index]) ? nil : index
    }

    /// Takes the words that are as long as a token.
    private mutating func takeWords(_ text: borrowing Span<UInt8>, from start: Int) {
        let end = min(text.count, start + TokenSearch.bytesBehindName)
        var index = start
        var taken = 0
        while index < end, taken < TokenSearch.maxBehindName,
            candidates.count < TokenSearch.most
        {
            let letters = TokenSearch.word(text, &index)
            guard TokenSearch.lengths.contains(letters.count) else { continue }
            taken += 1
            let token = String(decoding: letters, as: UTF8.self)
            let isButton = token.hasPrefix(ButtonToken.prefix)
            if !(isButton && hasButton) { candidates.append(token) }
            hasButton = hasButton || isButton
        }
    }

    /// The letters there, and of escapes, up to the next other character, which is passed.
    private static func word(_ text: borrowing Span<UInt8>, _ index: inout Int) -> [UInt8] {
        var letters: [UInt8] = []
        while index < text.count, letters.count <= lengths.upperBound {
            let byte = next(text, &index)
            guard isLetter(byte) else { break }
            letters.append(byte)
        }
        return letters
    }

    /// The letters of tokens and of their names (RFC 3986 section 2.3).
    private static func isLetter(_ byte: UInt8) -> Bool { ASCII.isUnreserved(byte) }

    /// Passes the character there, which may be an escape.
    @inline(__always)
    private static func next(_ text: borrowing Span<UInt8>, _ index: inout Int) -> UInt8 {
        let escape = escape(text, at: index)
        defer { index += escape?.length ?? 1 }
        return escape?.byte ?? text[index]
    }

    /// The character that `%41` or `\u0041` stands for, and that text's length; nil for any other.
    private static func escape(
        _ text: borrowing Span<UInt8>, at index: Int
    ) -> (byte: UInt8, length: Int)? {
        var start = index + 1
        switch text[index] {
        case UInt8(ascii: "%"): break
        case UInt8(ascii: "\\"):
            guard index + 5 < text.count, text[start] == UInt8(ascii: "u"),
                text[start + 1] == UInt8(ascii: "0"), text[start + 2] == UInt8(ascii: "0")
            else { return nil }
            start += 3
        default: return nil
        }
        guard start + 1 < text.count, let high = ASCII.hexValue(text[start]),
            let low = ASCII.hexValue(text[start + 1])
        else { return nil }
        return (high << 4 | low, start + 2 - index)
    }
}
