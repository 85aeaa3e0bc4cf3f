import BeemedDomain

/// Decimal numbers as devices write them.
package enum DecimalText {
    /// The number, infinite if it is too large; nil for anything but a decimal number:
    /// `Double("0x10")` and `Double("nan")` are accepted by Swift.
    package static func value(_ text: String) -> Double? {
        text.utf8.allSatisfy(isPart) ? Double(text) : nil
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true  // 0-9 + - . E e
        default: false
        }
    }

    /// The number without its fraction; nil for anything else, and where it is too large.
    package static func whole(_ text: String) -> Int64? {
        value(text).flatMap { abs($0) < 1e18 ? Int64($0.rounded(.down)) : nil }
    }

    /// Whether a number that is read as 0 is written so, and not only too small to be read.
    static func isZero(_ text: String) -> Bool {
        let digits = text.utf8.prefix { $0 != 0x65 && $0 != 0x45 }
        return !digits.contains { (0x31...0x39).contains($0) }
    }

    /// The amount that a text denotes: a decimal number, or hours as `1:30` or `1:30:45`, which
    /// Beeminder takes, too; nil for anything else.
    package static func amount(_ text: String) -> Double? { value(text) ?? hours(text) }

    /// Hours, minutes and perhaps seconds with two digits each but the first.
    private static func hours(_ text: String) -> Double? {
        let form = /([+-]?)([0-9]+):([0-5][0-9])(?::([0-5][0-9]))?/
        guard text.utf8.count <= longestHours, text.utf8.contains(0x3A),
            let (_, sign, hours, minutes, seconds) = text.wholeMatch(of: form)?.output
        else { return nil }
        let numbers = [hours, minutes, seconds ?? "0"].compactMap { Int($0) }
        let sum = numbers.reduce(0) { $0 * 60 + $1 }
        return Double(sign == "-" ? -sum : sum) / 3_600
    }

    /// The longest such text in bytes, with a sign and six digits of hours.
    private static let longestHours = 13
}

/// The numbers in fields that are not the relay's. Most webhooks are events, and log 1; but where
/// one evidently says a value that is not read, 1 would be a wrong datapoint.
struct ForeignNumbers: Sendable {
    /// Texts, numbers and the like, however deep.
    private var contents = 0
    /// The field in which the last number stands.
    private var last: String?

    /// Whether a list has records of health data.
    private(set) var isHealth = false

    /// The field whose number is all that was said.
    var lone: String? { contents == 1 ? last : nil }

    /// Names under which other programs tell a number, in lower case.
    private static let carriers: Set<String> = [
        "amount", "body", "content", "data", "field", "message", "msg", "payload", "qty",
        "quantity",
        "reading", "state", "text", "val", "value",
    ]

    /// Units and amounts by which people name a field, in lower case; no letters alone, which are
    /// often names of sensors.
    private static let units: Set<String> = [
        "calories", "cups", "distance", "duration", "glasses", "hours", "hrs", "kcal", "kg", "km",
        "lbs", "liters", "litres", "meters", "metres", "miles", "mins", "minutes", "ml", "oz",
        "pages", "points", "pounds", "reps", "score", "seconds", "steps", "total", "weight",
        "words",
    ]

    /// Whether a name is that of a unit or an amount, or has the letters of `value`.
    static func isUnit(_ name: String) -> Bool {
        let name = name.lowercased()
        return units.contains(name) || name.utf8.sorted() == "value".utf8.sorted()
    }

    /// Whether a name tells when a record of a health app was.
    private static func isRecordTime(_ name: String) -> Bool {
        ["calendardate", "starttime"].contains(name.lowercased().filter { $0 != "_" })
    }

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
        guard case .text(let text) = content else {
            if content == .null { contents += 1 }
            return false
        }
        if text.utf8.first == 0x7B, let tree = JSONTree(Array(text.utf8)) {
            return isValueSaid(tree, in: field)
        }
        return isNumber(.text(text), in: field) && ForeignNumbers.isCarrier(field)
    }

    /// Whether a list or an object says a value, as the object of a press does: a `count` or
    /// `number` is one where all names are the relay's, an amount beside any.
    ///
    /// - Parameter isRecord: whether it is an element of a list.
    mutating func isValueSaid(
        _ tree: JSONTree, in field: String, isRecord: Bool = false
    ) -> Bool {
        if let elements = tree.elements {
            // All of them are counted.
            return elements.filter { isValueSaid($0, in: field, isRecord: true) }.count > 0
        }
        guard let members = tree.members else {
            _ = isNumber(tree, in: field)
            return false
        }
        var (isSaid, numbers) = (false, [String]())
        for (name, value) in members {
            if value.members != nil || value.elements != nil {
                isSaid = isValueSaid(value, in: field) || isSaid
            } else if isNumber(value, in: field) {
                numbers.append(name)
            }
        }
        let hasTime = isRecord && members.keys.contains(where: ForeignNumbers.isRecordTime)
        isHealth = isHealth || hasTime && !numbers.isEmpty
        let isOurs = members.keys.allSatisfy { PressFields.known($0) != nil }
        return isSaid
            || numbers.contains { name in
                ForeignNumbers.isCarrier(name)
                    || isOurs && PressFields.known(name)?.field == .value
            }
    }

    /// Counts a content, and returns whether it is a number.
    private mutating func isNumber(_ content: JSONTree, in field: String) -> Bool {
        contents += 1
        let isNumber = content.number != nil || content.text.map(ForeignNumbers.isNumber) ?? false
        if isNumber { last = field }
        return isNumber
    }

    /// Whether a text is a number. A comma may be a decimal one.
    static func isNumber(_ text: String) -> Bool {
        guard text.utf8.count <= 64 else { return false }
        let plain = text.utf8.contains(0x2C) ? text.replacing(",", with: ".") : text
        return DecimalText.value(plain.trimmed) != nil
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
}
