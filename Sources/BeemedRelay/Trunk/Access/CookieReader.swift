/// Reads the cookies of relays in one field, in one pass by bytes: browsers send those of all
/// servers of a host, and anybody may send thousands.
struct CookieReader {
    private let field: ArraySlice<UInt8>
    /// The position to go on at, counted from the beginning of the field.
    private var index = 0
    /// How many cookies may still be looked at.
    private var left = CookieReader.most

    /// The beginning of the names of all relays' cookies.
    private static let beginning = Array(Credentials.formerCookie.utf8)
    /// As many cookies as browsers keep for a host (Chrome 180, Firefox 150).
    private static let most = 180
    /// The longest name of one, in bytes.
    private static let maxNameBytes = 32

    /// - Parameter field: the value of a `Cookie` field.
    init(_ field: ArraySlice<UInt8>) { self.field = field }

    /// Whether there is a cookie of some relay.
    var hasOurs: Bool {
        var reader = self
        return reader.next() != nil
    }

    /// The name of the next cookie of a relay, whose value is `value` then; nil at the end.
    mutating func next() -> String? {
        let field = field
        let text = field.span
        let first = CookieReader.beginning[0]
        // Behind a name stands the value of its cookie.
        if index > 0 { index = CookieReader.cookieEnd(text, from: index) }
        while left > 0 {
            var start = index
            while start < text.count, CookieReader.isBetween(text[start]) { start += 1 }
            index = start
            guard start < text.count else { return nil }
            left -= 1
            if text[start] == first, let name = name(in: text) { return name }
            index = CookieReader.cookieEnd(text, from: start)
        }
        return nil
    }

    @inline(__always)
    private static func isBetween(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ")
    }

    private static func cookieEnd(_ text: borrowing Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, text[end] != UInt8(ascii: ";") { end += 1 }
        return end
    }

    /// The name that begins here, if it is of a relay and has a value.
    private mutating func name(in text: borrowing Span<UInt8>) -> String? {
        let word = CookieReader.beginning
        guard index + word.count < text.count else { return nil }
        for offset in word.indices where text[index + offset] != word[offset] { return nil }
        let end = min(text.count, index + CookieReader.maxNameBytes)
        for nameEnd in index..<end where text[nameEnd] == UInt8(ascii: "=") {
            defer { index = nameEnd + 1 }
            return String(decoding: field.dropFirst(index).prefix(nameEnd - index), as: UTF8.self)
        }
        return nil
    }

    /// The value of the cookie whose name was read last, or its beginning.
    func value(atMost bytes: Int) -> String {
        let value = field.dropFirst(index).prefix(bytes).prefix { $0 != UInt8(ascii: ";") }
        return String(decoding: value, as: UTF8.self)
    }
}
