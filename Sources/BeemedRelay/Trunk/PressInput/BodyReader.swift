package import BeemedDomain
import RelayHTTP

/// Reads the body of a press. The form is detected from the body and not from its Content-Type:
/// devices send the same JSON as octet-stream, text, form or without any type.
package enum BodyReader {
    /// The product's JSON reader; the simulator has another type of the same name.
    package typealias JSON = BeemedDomain.JSONReader

    /// The fields of a body, before `PressFields.settle` decides about general names.
    static func parse(_ body: [UInt8]) throws(Problem) -> PressFields {
        let content = trimmed(body[...])
        guard let first = content.first else {
            // Zeros behind a text are its end; alone they are none.
            guard !body.contains(0) else { throw .noPress }
            return PressFields()
        }
        switch first {
        case UInt8(ascii: "{"): return try json(content)
        case UInt8(ascii: "["): throw isText(content) ? .several : .notText
        default: break
        }
        if let parts = MultipartReader.fields(content) { return try multipart(parts) }
        // Each second byte is 0 in UTF-16.
        guard let text = String(validating: Array(content), as: UTF8.self), !content.contains(0)
        else { throw .notText }
        if text.hasPrefix("--"), text.utf8.contains(0x0A) { throw .cutMultipart }
        guard isForm(text) else { return try plain(text) }
        let fields = try form(text)
        // Not in a query, where a lone number only keeps a cache from answering.
        fields.evaluateWhole()
        return fields
    }

    static func isText(_ content: ArraySlice<UInt8>) -> Bool {
        String(validating: content, as: UTF8.self) != nil
    }

    /// A file is content that is not read, as a list is.
    private static func multipart(
        _ parts: [(name: String, value: String?)]
    ) throws(Problem) -> PressFields {
        guard parts.count <= PressFields.maxGiven else { throw .tooManyFields }
        guard parts.contains(where: { $0.value != nil }) else { throw .noPress }
        let fields = PressFields()
        fields.form = .multipart
        for (name, value) in parts { fields.set(name, value.map { .text($0) } ?? .nested) }
        fields.evaluateWhole()
        return fields
    }

    /// A form begins with a name and `=`. In `1 "a=b"` the sign is part of a comment.
    private static func isForm(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let end = bytes.firstIndex(where: { $0 == 0x3D || $0 == 0x26 }) else { return false }
        return bytes.first != 0x3D && bytes.contains(0x3D)
            && !text.unicodeScalars[..<end].contains(where: \.properties.isWhitespace)
    }

    /// Removes a byte order mark and surrounding white space, and a zero behind it: programs in C
    /// send the end of their strings.
    static func trimmed(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var content = body
        if content.first == 0xEF, content.starts(with: [0xEF, 0xBB, 0xBF]) {
            content = content.dropFirst(3)
        }
        content = content.drop(while: \.isBlank)
        while let last = content.last, last.isBlank || last == 0 { content = content.dropLast() }
        return content
    }

    /// Reads exactly one JSON object: the content of a request, or one event of many in it.
    static func json(
        _ content: ArraySlice<UInt8>, isEvent: Bool = false
    ) throws(Problem) -> PressFields {
        var json = JSON(content)
        do throws(JSON.Fault) {
            let fields = try object(&json)
            try json.expectEnd()
            return fields
        } catch {
            throw isText(content)
                ? .malformedJSON(TextPosition(json.position, in: content), isEvent: isEvent)
                : .notText
        }
    }

    /// Reads an object with any members. Numbers keep their spelling: an id is a name, and above
    /// 2^53 a `Double` would not be the number that was sent.
    static func object(_ json: inout JSON) throws(JSON.Fault) -> PressFields {
        let fields = PressFields()
        fields.form = .json
        guard try json.begin(.object) else { return fields }
        repeat { try member(&json, of: fields) } while try json.another(in: .object)
        fields.evaluateWhole()
        return fields
    }

    /// Reads one member.
    private static func member(
        _ json: inout JSON, of fields: PressFields
    ) throws(JSON.Fault) {
        let name = try json.name()
        guard let known = PressFields.known(name) else {
            return try fields.setUnknown(name, &json)
        }
        if known.field == .datapoints, json.isAt(.list) {
            return try datapoints(&json, of: fields)
        }
        fields.set(known, try json.scalar())
    }

    /// Reads Beeminder's list of datapoints, as `create_all` takes it, with a single press.
    private static func datapoints(
        _ json: inout JSON, of fields: PressFields
    ) throws(JSON.Fault) {
        guard try json.begin(.list) else { return fields.refuse(.noPress) }
        if json.isAt(.object) {
            fields.fill(from: try object(&json))
        } else {
            try json.skip()
            fields.refuse(.noPress)
        }
        while try json.another(in: .list) {
            try json.skip()
            fields.refuse(.several)
        }
    }

    /// Reads the same list as the text of a form's field.
    static func datapoints(_ text: String, of fields: PressFields) {
        do throws(JSON.Fault) {
            var json = JSON(Array(text.utf8)[...])
            guard json.isAt(.list) else { return fields.refuse(.noPress) }
            try datapoints(&json, of: fields)
            try json.expectEnd()
        } catch {
            fields.refuse(.noPress)
        }
    }

    /// The fields of a form or a query, before the meaning of general names is decided.
    static func form(_ text: String, isOfShelly: Bool = false) throws(Problem) -> PressFields {
        // Counted first: to read a field takes as long as to count a thousand bytes.
        guard text.utf8.count(where: { $0 == 0x26 }) < PressFields.maxGiven else {
            throw .tooManyFields
        }
        guard FormDecoder.isText(text) else { throw .escapedOtherwise }
        let fields = PressFields()
        fields.form = .form
        for (name, value) in FormDecoder.pairs(text) {
            // A Shelly appends its own name as 'id' to every URL; it is not an event id.
            if isOfShelly, PressFields.known(name)?.field == .id {
                fields.setUnknown("id", .text(value))
            } else {
                fields.set(name, .text(value))
            }
        }
        return fields
    }

    /// A number, optionally with a comment, quoted or not: `+1`, `2.5`, `1 "with milk"`; or with a
    /// day before both, as in Beeminder's own format: `2026 11 18 1 "with milk"`.
    static func plain(_ text: String) throws(Problem) -> PressFields {
        if let inner = unquoted(text) { return try plain(inner) }
        if hasSeveral(text) { throw .several }
        let fields = PressFields()
        fields.form = .text
        if let (day, value, comment) = try DayReader.datapoint(text) {
            (fields[.day], fields[.value], fields[.comment]) = (day, value, comment)
            return fields
        }
        // By scalars: a search for characters, which may be long, takes a hundred times as long.
        let scalars = text.unicodeScalars
        guard let blank = scalars.firstIndex(where: \.properties.isWhitespace) else {
            fields[.value] = text
            return fields
        }
        fields[.value] = String(scalars[..<blank])
        let rest = scalars[blank...].drop(while: \.properties.isWhitespace)
        fields[.comment] = try comment(Substring(rest))
        return fields
    }

    /// The comment behind a number: all of the rest, in quotes or not. A word that begins like a
    /// number, or something beside the quotes, is no comment: the first number may be the day then,
    /// and a value that was not understood follows.
    private static func comment(_ text: Substring) throws(Problem) -> String {
        if text.utf8.first == 0x22 {
            guard let quoted = DayReader.quoted(text) else { throw .unreadText }
            return quoted
        }
        let word = text.unicodeScalars.prefix { !$0.properties.isWhitespace }
        let isLikeNumber =
            word.first.map { !$0.properties.isAlphabetic } ?? false
            && word.contains { $0.properties.numericType != nil }
        guard !isLikeNumber, text.utf8.last != 0x22 else { throw .unreadText }
        return String(text)
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
            if DecimalText.amount(String(word)) != nil { return true }
        }
        return false
    }

    /// The content of a JSON string: some clients encode everything as JSON and send `"+1"`.
    private static func unquoted(_ text: String) -> String? {
        guard text.utf8.count > 2, text.utf8.first == 0x22, text.utf8.last == 0x22,
            let inner = JSONTree(Array(text.utf8))?.text, !inner.hasPrefix("\"")
        else { return nil }
        return inner.trimmed
    }
}

extension BodyReader {
    /// The press fields of body, query and head. They must agree.
    static func fields(of request: Request) throws(Problem) -> PressFields {
        let fields = try parse(request.body)
        if let query = request.target.query, !query.isEmpty {
            let isOfShelly = request[.userAgent]?.hasPrefix("Shelly/") == true
            fields.fill(from: try form(query, isOfShelly: isOfShelly))
        }
        for key in request.fields.all(.idempotencyKey) {
            fields.set(.id, key.filter { $0 != "\"" })
        }
        fields.settle(request.body + Array("?\(contents(of: request.target.query ?? ""))".utf8))
        return fields
    }

    /// A query without token and options: the same content with others is the same press.
    private static func contents(of query: String) -> String {
        FormDecoder.pairs(query).filter { pair in
            ![.token, .dryRun, .strict].contains(PressFields.known(pair.name)?.field)
        }.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// The fields of a query alone.
    package static func fields(ofQuery query: String?) throws(Problem) -> PressFields {
        guard let query, !query.isEmpty else { return PressFields() }
        let fields = try form(query)
        fields.settle(Array(query.utf8))
        return fields
    }
}

/// Why a body cannot be read: 422 where the value is not clear, 400 where the form is wrong.
extension Problem {
    static func malformedJSON(_ position: TextPosition, isEvent: Bool = false) -> Problem {
        .malformed(
            isEvent
                ? "this event is not valid JSON, or nested too deep, at its \(position); send an "
                    + "object such as {\"goal\": \"water\", \"value\": 1}"
                : "this is not valid JSON, or nested too deep, at \(position); send an object such "
                    + "as {\"value\": 1}")
    }

    static let several = malformed("this takes one event; send an array to POST /events")

    static let tooManyFields = malformed(
        "a press has at most \(PressFields.maxGiven) fields; send fewer")

    static let notText = malformed("this is not UTF-8 text; send it as UTF-8")

    static let escapedOtherwise = malformed(
        "the escapes in the query or the form are not UTF-8; send ä as %C3%A4")

    /// A text that means nothing as a whole, or may mean two things.
    static let unreadText = Problem(
        .unusableValue,
        "this text is not understood as a whole; send a number without blanks, 10000, and a "
            + "comment in quotes behind it: 3 \"sets\", 1:30 \"reading\", or 18 3 \"sets\" for the "
            + "18th")

    static let cutMultipart = malformed(
        "the multipart body ends before its last boundary; send all of it, and its length in "
            + "Content-Length")

    /// A total of a day, or records of a health app: each of them would be one more.
    static let healthData = Problem(
        .unusableValue,
        "this is health data, and no press; send it to POST /health, where a rule makes datapoints "
            + "of its days")

    /// Content in which nothing can be a press.
    static let noPress = malformed(
        "nothing in the body can be a press; send a number, or an object such as {\"value\": 1}")
}
