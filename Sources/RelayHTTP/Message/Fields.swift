/// The name of a header field: names are case-insensitive (RFC 9110 section 5.1).
package struct FieldName: Sendable, ExpressibleByStringLiteral {
    fileprivate let lowercased: StaticString

    /// A name literal, in lower case.
    package init(stringLiteral name: StaticString) {
        assert(Grammar.isLowercase(name), "\(name)")
        lowercased = name
    }

    fileprivate var length: Int { lowercased.utf8CodeUnitCount }
}

/// The header fields of one request, in order of arrival, duplicates included.
///
/// They are ranges of the head's bytes, so that an unused field costs nothing.
package struct Fields: Sendable {
    /// The position of one field in `bytes`. A head is at most 65,535 bytes (`Limits`).
    struct Position: Sendable {
        var nameStart: UInt16
        var nameEnd: UInt16
        var valueStart: UInt16
        var valueEnd: UInt16
    }

    let bytes: [UInt8]
    let positions: [Position]

    /// The value of the first field of that name, without the blanks around it.
    package subscript(_ name: FieldName) -> String? {
        bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of the value of the first field of that name, without surrounding blanks.
    ///
    /// A field may be as long as the head. To make a string of it, or to tell its characters apart,
    /// takes up to a hundred times as long as to look at its bytes, and anybody may send one. No
    /// head may cost more than five times as much as the refusal of a wrong token.
    package func bytes(of name: FieldName) -> ArraySlice<UInt8>? {
        positions.first { matches($0, name) }.map(bytes(at:))
    }

    /// The bytes of every value of that name, in order.
    package func allBytes(of name: FieldName) -> [ArraySlice<UInt8>] {
        positions.filter { matches($0, name) }.map(bytes(at:))
    }

    /// The bytes after this word and blanks in the first field of that name, or nil: the
    /// credentials after a scheme (RFC 9110 section 11.4). Schemes are case-insensitive.
    package func bytes(of name: FieldName, after word: FieldName) -> ArraySlice<UInt8>? {
        guard let value = bytes(of: name), value.count > word.length else { return nil }
        let rest = value.dropFirst(word.length)
        guard ASCII.isBlank(rest[rest.startIndex]), spell(value.startIndex..<rest.startIndex, word)
        else { return nil }
        return rest.drop(while: ASCII.isBlank)
    }

    /// Whether the first field of that name is this word, in any case.
    package func isWord(_ word: FieldName, of name: FieldName) -> Bool {
        bytes(of: name).map { spell($0.indices, word) } ?? false
    }

    /// Whether so many bytes of the fields of that name have one of these words, which are given in
    /// lower case, in any case.
    package func holds(
        anyOf words: [[UInt8]], in name: FieldName, within bytes: Int = 512
    ) -> Bool {
        var text: [UInt8] = []
        for value in allBytes(of: name) where text.count < bytes {
            text += value.prefix(bytes - text.count).lazy.map(ASCII.lowercased)
            text.append(ASCII.comma)
        }
        return !text.isEmpty && words.contains { ASCII.position(of: $0, in: text[...]) != nil }
    }

    /// Every value of that name, in order.
    package func all(_ name: FieldName) -> [String] {
        allBytes(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All fields, or so many of the first ones: the names as they were received, and the values.
    package func list(atMost count: Int = .max) -> [(name: String, value: String)] {
        positions.prefix(count).map { position in
            let name = bytes[Int(position.nameStart)..<Int(position.nameEnd)]
            let value = bytes(at: position)
            return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    private func bytes(at position: Position) -> ArraySlice<UInt8> {
        bytes[Int(position.valueStart)..<Int(position.valueEnd)]
    }

    private func matches(_ position: Position, _ name: FieldName) -> Bool {
        spell(Int(position.nameStart)..<Int(position.nameEnd), name)
    }

    /// Whether these bytes are this word, in any case.
    private func spell(_ range: Range<Int>, _ word: FieldName) -> Bool {
        Grammar.spells(bytes.span.extracting(range), word.lowercased)
    }
}
