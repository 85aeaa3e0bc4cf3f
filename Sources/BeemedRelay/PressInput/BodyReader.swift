import BeemedDomain

/// Reads what a device sent. The body is looked at and its Content-Type is not: one and the same
/// JSON comes as octet-stream, as text, as a form and without any type at all.
enum BodyReader {
    /// Why a body cannot be read.
    enum Fault: Error, Equatable {
        case malformedJSON(BodyPlace)
        case several
        case notText
        case ambiguousText
    }

    /// The product's JSON reader; the simulator has another one of the same name.
    typealias JSON = BeemedDomain.JSONReader

    /// Reads a body.
    static func fields(_ body: [UInt8]) throws(Fault) -> PressFields {
        let content = trimmed(body[...])
        guard let first = content.first else { return PressFields() }
        switch first {
        case UInt8(ascii: "{"):
            do throws(BodyPlace) {
                return try json(content, fromLine: line(of: content, in: body))
            } catch { throw .malformedJSON(error) }
        case UInt8(ascii: "["): throw .several
        default: break
        }
        if let parts = MultipartReader.fields(content) {
            var fields = PressFields()
            fields.form = .multipart
            for (name, value) in parts { fields.set(name, value) }
            return fields
        }
        guard let text = String(validating: Array(content), as: UTF8.self) else { throw .notText }
        return isForm(text) ? form(text) : try plain(text)
    }

    /// A form begins with a name and `=`. In `1 "a=b"` the sign is part of a comment.
    private static func isForm(_ text: String) -> Bool {
        guard let end = text.firstIndex(where: { $0 == "=" || $0 == "&" }) else { return false }
        return text.contains("=") && !text[..<end].contains(where: \.isWhitespace)
    }

    /// Reads a query.
    static func query(_ query: String?) -> PressFields {
        guard let query, !query.isEmpty else { return PressFields() }
        return form(query)
    }

    /// Without a byte order mark and the white space around.
    static func trimmed(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var content = body
        if content.first == 0xEF, content.starts(with: [0xEF, 0xBB, 0xBF]) {
            content = content.dropFirst(3)
        }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        content = content.drop(while: isSpace)
        while let last = content.last, isSpace(last) { content = content.dropLast() }
        return content
    }

    /// The number of the line in which the content begins.
    static func line(of content: ArraySlice<UInt8>, in body: [UInt8]) -> Int {
        1 + body[..<content.startIndex].count(where: { $0 == 0x0A })
    }

    /// Reads one JSON object and nothing behind it.
    ///
    /// - Throws: where it stops being one.
    static func json(
        _ content: ArraySlice<UInt8>, fromLine line: Int
    ) throws(BodyPlace) -> PressFields {
        var json = JSON(content)
        do throws(JSON.Fault) {
            let fields = try object(&json)
            try json.end()
            return fields
        } catch {
            throw BodyPlace(json.position, in: content, fromLine: line)
        }
    }

    /// Reads an object with any members. Numbers are kept as they are written: an id is a name, and
    /// beyond 2^53 another number than the one that was sent would be read.
    static func object(_ json: inout JSON) throws(JSON.Fault) -> PressFields {
        var fields = PressFields()
        fields.form = .json
        try json.object { (name, json) throws(JSON.Fault) in
            switch try json.scalar() {
            case .text(let text): fields.set(name, text)
            case .null: fields.setNull(name)
            case .nested: fields.setNested(name)
            }
        }
        return fields
    }

    private static func form(_ text: String) -> PressFields {
        var fields = PressFields()
        fields.form = .form
        for (name, value) in FormDecoder.pairs(text) { fields.set(name, value) }
        return fields
    }

    /// A number, and behind it a comment with or without quotes: `+1`, `2.5`, `1 "with milk"`; or
    /// a day before both, as Beeminder itself takes it: `2026 11 18 1 "with milk"`.
    private static func plain(_ text: String) throws(Fault) -> PressFields {
        var fields = PressFields()
        fields.form = .text
        if let inner = unquoted(text) { return try plain(inner) }
        switch DayReader.reading(text) {
        case .ambiguous: throw .ambiguousText
        case .datapoint(let datapoint):
            fields.day = datapoint.day
            fields.value = datapoint.value
            fields.comment = datapoint.comment
            return fields
        case .other: break
        }
        guard let blank = text.firstIndex(where: \.isWhitespace) else {
            fields.value = text
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

    /// The text in a JSON text: a library that makes JSON of everything sends `+1` with quotes.
    private static func unquoted(_ text: String) -> String? {
        guard text.utf8.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
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
