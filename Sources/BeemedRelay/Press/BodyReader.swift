import Foundation

/// Reads what a device sent. The body is looked at and its Content-Type is not: one and the same
/// JSON comes as octet-stream, as text, as a form and without any type at all.
enum BodyReader {
    /// Why a body cannot be read.
    enum Fault: Error, Equatable {
        case malformedJSON
        case several
        case notText
    }

    /// Reads a body.
    static func fields(_ body: [UInt8]) throws(Fault) -> PressFields {
        let content = trimmed(body)
        guard let first = content.first else { return PressFields() }
        switch first {
        case UInt8(ascii: "{"): return try json(content)
        case UInt8(ascii: "["): throw .several
        default: break
        }
        if let parts = MultipartReader.fields(content) {
            var fields = PressFields()
            fields.form = .multipart
            for (name, value) in parts { fields.set(name, value) }
            return fields
        }
        guard let text = String(validating: content, as: UTF8.self) else { throw .notText }
        return isForm(text) ? form(text) : plain(text)
    }

    /// A form begins with a name and `=`. In `1 "a=b"` the sign is part of a comment.
    private static func isForm(_ text: String) -> Bool {
        guard let end = text.firstIndex(where: { $0 == "=" || $0 == "&" }) else { return false }
        return text.contains("=") && !text[..<end].contains(where: \.isWhitespace)
    }

    /// Reads many events: a JSON array, an object with a member `events`, or one object a line.
    ///
    /// - Returns: the events in order; nil for one that is no JSON object.
    static func events(_ body: [UInt8]) throws(Fault) -> [PressFields?] {
        let content = trimmed(body)
        let decoder = JSONDecoder()
        switch content.first {
        case UInt8(ascii: "["):
            guard let list = try? decoder.decode([JSONEvent].self, from: Data(content)) else {
                throw .malformedJSON
            }
            return list.map(\.fields)
        case UInt8(ascii: "{"):
            if let envelope = try? decoder.decode(JSONEnvelope.self, from: Data(content)) {
                return envelope.events.map(\.fields)
            }
            return lines(content)
        default: throw .malformedJSON
        }
    }

    private static func lines(_ content: ArraySlice<UInt8>) -> [PressFields?] {
        content.split(separator: 0x0A).compactMap { line in
            let line = trimmed(Array(line))
            if line.isEmpty { return nil }
            return .some(try? json(line))
        }
    }

    /// Reads a query.
    static func query(_ query: String?) -> PressFields {
        guard let query, !query.isEmpty else { return PressFields() }
        return form(query)
    }

    /// Without a byte order mark and the white space around.
    private static func trimmed(_ body: [UInt8]) -> ArraySlice<UInt8> {
        var content = body[...]
        if content.first == 0xEF, content.starts(with: [0xEF, 0xBB, 0xBF]) {
            content = content.dropFirst(3)
        }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        content = content.drop(while: isSpace)
        while let last = content.last, isSpace(last) { content = content.dropLast() }
        return content
    }

    private static func json(_ content: ArraySlice<UInt8>) throws(Fault) -> PressFields {
        if let fields = FlatJSON.fields(content) { return fields }
        guard let press = try? JSONDecoder().decode(JSONPress.self, from: Data(content)) else {
            throw .malformedJSON
        }
        return press.fields
    }

    private static func form(_ text: String) -> PressFields {
        var fields = PressFields()
        fields.form = .form
        for (name, value) in FormDecoder.pairs(text) { fields.set(name, value) }
        return fields
    }

    /// A number, and behind it a comment with or without quotes: `+1`, `2.5`, `1 "with milk"`.
    private static func plain(_ text: String) -> PressFields {
        var fields = PressFields()
        fields.form = .text
        guard let blank = text.firstIndex(where: \.isWhitespace) else {
            // A library that makes JSON of everything sends "+1" with its quotes.
            let isQuoted = text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            fields.value = isQuoted ? String(text.dropFirst().dropLast()) : text
            return fields
        }
        fields.value = String(text[..<blank])
        var comment = text[blank...].drop(while: \.isWhitespace)
        if comment.count >= 2, comment.hasPrefix("\""), comment.hasSuffix("\"") {
            comment = comment.dropFirst().dropLast()
        }
        fields.comment = String(comment)
        return fields
    }
}

extension String {
    fileprivate init?(validating bytes: ArraySlice<UInt8>, as encoding: UTF8.Type) {
        self.init(validating: Array(bytes), as: encoding)
    }
}

/// Several events in one object.
private struct JSONEnvelope: Decodable {
    var events: [JSONEvent]
}

/// An event in an array, or something else that stands in its place.
private struct JSONEvent: Decodable {
    var fields: PressFields?

    init(from decoder: any Decoder) throws {
        fields = try? JSONPress(from: decoder).fields
    }
}

/// A JSON object with any members, of which those that mean something are texts or numbers.
/// Numbers may come as texts: ESPHome can send nothing else.
private struct JSONPress: Decodable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }

    var fields = PressFields()

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        fields.form = .json
        for key in container.allKeys {
            if let text = try? container.decode(String.self, forKey: key) {
                fields.set(key.stringValue, text)
            } else if let number = try? container.decode(Double.self, forKey: key) {
                fields.set(key.stringValue, JSONPress.text(number))
            } else if let flag = try? container.decode(Bool.self, forKey: key) {
                fields.set(key.stringValue, flag ? "true" : "false")
            } else if (try? container.decodeNil(forKey: key)) != true {
                fields.setNested(key.stringValue)
            }
            // A null says nothing.
        }
    }

    private static func text(_ number: Double) -> String {
        if let whole = Int64(exactly: number) { return "\(whole)" }
        return "\(number)"
    }
}
