import BeemedDomain

/// The numbers in fields that are not the relay's. Most webhooks are events, and log 1; but where
/// one evidently says a value that is not read, 1 would be a wrong datapoint.
struct ForeignNumbers: Sendable {
    private typealias JSON = BodyReader.JSON

    /// Texts, numbers and the like, however deep.
    private var contents = 0
    /// The field in which the last number stands.
    private var last: String?

    /// The field whose number is all that was said.
    var lone: String? { contents == 1 ? last : nil }

    /// Names under which other programs tell a number, in lower case.
    private static let carriers: Set<String> = [
        "amount", "body", "content", "data", "field", "message", "msg", "payload", "qty",
        "quantity",
        "reading", "state", "text", "val", "value",
    ]

    /// Whether a name says a value: IFTTT has `value1`, ThingSpeak `field1`, and in forms an object
    /// is `data[value]` or `data.value`.
    private static func isCarrier(_ name: String) -> Bool {
        let last = name.utf8.suffix(32).reversed().drop { !$0.isLetter }
        let word = last.prefix { $0.isLetter || $0 == 0x5F }.reversed()
        return carriers.contains(String(decoding: word, as: UTF8.self).lowercased())
    }

    /// Whether the content of a field says a value. A text may be an object, as in the forms that
    /// GitHub and Slack send.
    mutating func isValueSaid(_ content: BodyReader.JSON.Scalar, in field: String) -> Bool {
        guard case .text(let text) = content, text.utf8.first == 0x7B else {
            return add(content, in: field) && ForeignNumbers.isCarrier(field)
        }
        var json = JSON(Array(text.utf8)[...])
        if let isSaid = try? isValueSaid(&json, in: field), (try? json.expectEnd()) != nil {
            return isSaid
        }
        contents += 1
        return false
    }

    /// Reads any content in a field.
    ///
    /// - Returns: whether an object inside says a value, as the object of a press does.
    mutating func isValueSaid(
        _ json: inout BodyReader.JSON, in field: String
    ) throws(BodyReader.JSON.Fault) -> Bool {
        if json.isAt(.object) { return try object(&json, in: field) }
        guard json.isAt(.list) else {
            add(try json.scalar(), in: field)
            return false
        }
        guard try json.begin(.list) else { return false }
        var isSaid = false
        repeat {
            isSaid = try isValueSaid(&json, in: field) || isSaid
        } while try json.another(in: .list)
        return isSaid
    }

    /// A `count` or `number` is a value where all names are the relay's, an amount beside any.
    private mutating func object(
        _ json: inout JSON, in field: String
    ) throws(JSON.Fault) -> Bool {
        guard try json.begin(.object) else { return false }
        var (isSaid, isCounted, isOurs) = (false, false, true)
        repeat {
            let name = try json.name()
            let known = PressFields.index(named: name).map { PressFields.names[$0] }
            isOurs = isOurs && known != nil
            guard !json.isAt(.list), !json.isAt(.object) else {
                isSaid = try isValueSaid(&json, in: field) || isSaid
                continue
            }
            guard add(try json.scalar(), in: field) else { continue }
            if case .field(.value)? = known?.meaning { isCounted = true }
            isSaid = isSaid || ForeignNumbers.isCarrier(name)
        } while try json.another(in: .object)
        return isSaid || isCounted && isOurs
    }

    /// Counts a content.
    ///
    /// - Returns: whether the content is a number.
    @discardableResult
    private mutating func add(_ content: BodyReader.JSON.Scalar, in field: String) -> Bool {
        guard content != .nested else { return false }
        contents += 1
        guard case .text(let text) = content, ForeignNumbers.isNumber(text) else { return false }
        last = field
        return true
    }

    /// Whether a text is a number. A comma may be a decimal one.
    private static func isNumber(_ text: String) -> Bool {
        guard text.utf8.count <= 64 else { return false }
        let plain = text.utf8.contains(0x2C) ? text.replacing(",", with: ".") : text
        return DecimalText.value(plain.trimmed) != nil
    }
}

extension UInt8 {
    /// Whether the byte is a letter of ASCII.
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
