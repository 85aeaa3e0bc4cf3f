import RelayHTTP

/// Looks through a text in any form, JSON, a form or several parts, for the words behind `token`
/// that are as long as one, in one pass by bytes. To read the text takes ten to a hundred times as
/// long, and anybody may send it.
struct TokenSearch {
    /// Whether the word itself is there.
    private(set) var hasName = false
    /// The words behind it, in order.
    private(set) var candidates: [String] = []

    /// How many words behind each name may be the token: a part of a form may have its type first.
    private static let mostBehindName = 3
    /// How many may be in all: each costs a digest, and that of a reminder's button costs eight.
    private static let most = 8
    /// The lengths of a token, in bytes.
    private static let lengths = 12...128
    private static let name = Array("token".utf8)

    /// A word, without its end.
    private struct Word {
        var start = 0
        /// Its letters, each escape as one.
        var count = 0
        var hasEscapes = false
    }

    /// How many words of that length may still follow.
    private var left = 0
    private var hasButton = false

    /// Looks through this text.
    init(_ text: borrowing Span<UInt8>) {
        let isLetter = TokenSearch.isLetter
        var word = Word()
        var index = 0
        while index < text.count, candidates.count < TokenSearch.most {
            let byte = text[index]
            if isLetter[Int(byte)] {
                if word.count == 0 { word.start = index }
                word.count += 1
                index += 1
                continue
            }
            let escape = TokenSearch.escape(text, at: index)
            if let escape, isLetter[Int(escape.byte)] {
                if word.count == 0 { word.start = index }
                word.count += 1
                word.hasEscapes = true
            } else if word.count > 0 {
                end(word, text, at: index)
                word = Word()
            }
            index += escape?.length ?? 1
        }
        end(word, text, at: index)
    }

    private mutating func end(_ word: Word, _ text: borrowing Span<UInt8>, at end: Int) {
        let isCandidate = left > 0 && TokenSearch.lengths.contains(word.count)
        guard isCandidate || word.count == TokenSearch.name.count else { return }
        let letters = TokenSearch.letters(of: word, text, at: end)
        if letters.elementsEqual(TokenSearch.name, by: { ASCII.lowercased($0) == $1 }) {
            hasName = true
            left = TokenSearch.mostBehindName
        } else if isCandidate {
            left -= 1
            let token = String(decoding: letters, as: UTF8.self)
            let isButton = token.hasPrefix(ReminderToken.prefix)
            if !(isButton && hasButton) { candidates.append(token) }
            hasButton = hasButton || isButton
        }
    }

    private static func letters(
        of word: Word, _ text: borrowing Span<UInt8>, at end: Int
    ) -> [UInt8] {
        var letters: [UInt8] = []
        var index = word.start
        while index < end {
            let escape = word.hasEscapes ? escape(text, at: index) : nil
            letters.append(escape?.byte ?? text[index])
            index += escape?.length ?? 1
        }
        return letters
    }

    /// The letters of tokens and of their names.
    private static let isLetter = (0...UInt8.max).map(ASCII.isUnreserved)

    /// The character that `%41` or `\u0041` stands for, and the length of that; nil for anything
    /// else.
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
