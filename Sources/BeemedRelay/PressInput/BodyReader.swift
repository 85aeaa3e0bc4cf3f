import BeemedDomain
import RelayHTTP

/// Reads the body of a press. The form is detected from the body and not from its Content-Type:
/// devices send the same JSON as octet-stream, text, form or without any type.
enum BodyReader {
    /// The reason why a body cannot be read.
    enum Fault: Error, Equatable {
        case malformedJSON(TextPosition)
        case several
        case notText
        case ambiguousText
        /// One number whose digits are grouped by a blank, or a day and a value.
        case groupedDigits
        /// More than `PressFields.mostGiven` fields.
        case tooManyFields
        /// An event of more than `EventReader.mostBytes`.
        case tooLong
    }

    /// The product's JSON reader; the simulator has another type of the same name.
    typealias JSON = BeemedDomain.JSONReader

    static func fields(_ body: [UInt8]) throws(Fault) -> PressFields {
        let content = trimmed(body[...])
        guard let first = content.first else { return PressFields() }
        switch first {
        case UInt8(ascii: "{"):
            do throws(TextPosition) {
                return try json(content, fromLine: line(of: content, in: body))
            } catch { throw .malformedJSON(error) }
        case UInt8(ascii: "["): throw .several
        default: break
        }
        if let parts = MultipartReader.fields(content) {
            let fields = PressFields()
            fields.form = .multipart
            guard parts.count <= PressFields.mostGiven else { throw .tooManyFields }
            for (name, value) in parts { fields.set(name, value) }
            return fields
        }
        guard let text = String(validating: Array(content), as: UTF8.self) else { throw .notText }
        return isForm(text) ? try form(text) : try plain(text)
    }

    /// A form begins with a name and `=`. In `1 "a=b"` the sign is part of a comment.
    private static func isForm(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let end = bytes.firstIndex(where: { $0 == 0x3D || $0 == 0x26 }) else { return false }
        return bytes.contains(0x3D)
            && !text.unicodeScalars[..<end].contains(where: \.properties.isWhitespace)
    }

    /// - Throws: `Fault.tooManyFields`.
    static func query(_ query: String?) throws(Fault) -> PressFields {
        guard let query, !query.isEmpty else { return PressFields() }
        return try form(query)
    }

    /// Removes a byte order mark and surrounding white space.
    static func trimmed(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var content = body
        if content.first == 0xEF, content.starts(with: [0xEF, 0xBB, 0xBF]) {
            content = content.dropFirst(3)
        }
        content = content.drop(while: \.isBlank)
        while let last = content.last, last.isBlank { content = content.dropLast() }
        return content
    }

    /// The line number at which the content begins.
    static func line(of content: ArraySlice<UInt8>, in body: [UInt8]) -> Int {
        1 + body[..<content.startIndex].count(where: { $0 == 0x0A })
    }

    /// Reads exactly one JSON object.
    ///
    /// - Throws: the position of the first error.
    static func json(
        _ content: ArraySlice<UInt8>, fromLine line: Int
    ) throws(TextPosition) -> PressFields {
        var json = JSON(content)
        do throws(JSON.Fault) {
            let fields = try object(&json)
            try json.end()
            return fields
        } catch {
            throw TextPosition(json.position, in: content, fromLine: line)
        }
    }

    /// Reads an object with any members. Numbers keep their spelling: an id is a name, and above
    /// 2^53 a `Double` would not be the number that was sent.
    static func object(_ json: inout JSON) throws(JSON.Fault) -> PressFields {
        let fields = PressFields()
        fields.form = .json
        guard try json.begin(.object) else { return fields }
        repeat { try member(&json, of: fields) } while try json.another(in: .object)
        return fields
    }

    /// Reads one member. A name that is known as it stands costs no string.
    private static func member(
        _ json: inout JSON, of fields: PressFields
    ) throws(JSON.Fault) {
        let known = try json.name({ PressFields.place(ofShort: $0) }, { PressFields.place(of: $0) })
        guard let place = known else {
            let name = try json.name()
            switch try json.scalar() {
            case .text(let text): return fields.set(name, text)
            case .null: return fields.setNull(name)
            case .nested: return fields.setNested(name)
            }
        }
        switch try json.scalar() {
        case .text(let text): fields.set(PressFields.names[place].meaning, text)
        case .null: fields.setNull(PressFields.names[place].meaning)
        case .nested: fields.setNested("\(PressFields.names[place].text)")
        }
    }

    private static func form(_ text: String) throws(Fault) -> PressFields {
        // Counted first: to read a field takes as long as to count a thousand bytes.
        guard text.utf8.count(where: { $0 == 0x26 }) < PressFields.mostGiven else {
            throw .tooManyFields
        }
        let fields = PressFields()
        fields.form = .form
        for (name, value) in FormDecoder.pairs(text) { fields.set(name, value) }
        return fields
    }

    /// A number, optionally with a comment, quoted or not: `+1`, `2.5`, `1 "with milk"`; or with a
    /// day before both, as in Beeminder's own format: `2026 11 18 1 "with milk"`.
    private static func plain(_ text: String) throws(Fault) -> PressFields {
        let fields = PressFields()
        fields.form = .text
        if let inner = unquoted(text) { return try plain(inner) }
        if hasSeveral(text) { throw .several }
        switch DayReader.reading(text) {
        case .ambiguous: throw .ambiguousText
        case .groupedDigits: throw .groupedDigits
        case .datapoint(let datapoint):
            fields.day = datapoint.day
            fields.value = datapoint.value
            fields.comment = datapoint.comment
            return fields
        case .other: break
        }
        // By scalars: a search for characters, which may be long, takes a hundred times as long.
        let scalars = text.unicodeScalars
        guard let blank = scalars.firstIndex(where: \.properties.isWhitespace) else {
            fields.value = text
            return fields
        }
        fields.value = String(scalars[..<blank])
        var comment = scalars[blank...].drop(while: \.properties.isWhitespace)
        if comment.count >= 2, comment.first == "\"", comment.last == "\"" {
            comment = comment.dropFirst().dropLast()
        }
        fields.comment = String(comment)
        return fields
    }

    /// Whether a later line begins with a number, too, outside of a comment in quotes: then each
    /// line is a datapoint, as in Beeminder's own format.
    private static func hasSeveral(_ text: String) -> Bool {
        guard text.utf8.contains(0x0A) else { return false }
        let lines = text.utf8.split(separator: 0x0A)
        var quotes = 0
        for (line, next) in zip(lines, lines.dropFirst()) {
            quotes += line.count { $0 == 0x22 }
            guard quotes.isMultiple(of: 2) else { continue }
            let word = String(Substring(next)).trimmed.unicodeScalars.prefix {
                !$0.properties.isWhitespace
            }
            if DecimalText.value(String(word)) != nil { return true }
        }
        return false
    }

    /// The content of a JSON string: some clients encode everything as JSON and send `"+1"`.
    private static func unquoted(_ text: String) -> String? {
        guard text.utf8.count > 2, text.utf8.first == 0x22, text.utf8.last == 0x22 else {
            return nil
        }
        var json = JSON(Array(text.utf8)[...])
        do throws(JSON.Fault) {
            let inner = try json.string()
            try json.end()
            return inner.hasPrefix("\"") ? nil : inner.trimmed
        } catch {
            return nil
        }
    }
}
