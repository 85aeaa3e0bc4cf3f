/// A JSON value whose objects keep the order of members: clients may depend on the order in which
/// Beeminder sends its keys.
enum OrderedJSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    /// A number that is written with a fraction only if it has one, such as `curval`.
    case number(Double)
    /// A number that is always written with a fraction, such as a datapoint's `value`.
    case decimal(Double)
    case string(String)
    case array([OrderedJSON])
    case object(JSONObject)

    /// That text, or `null`.
    static func text(_ text: String?) -> OrderedJSON {
        text.map(OrderedJSON.string) ?? .null
    }

    /// The value as compact JSON text.
    var bytes: [UInt8] {
        var text = ""
        write(to: &text)
        return Array(text.utf8)
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += OrderedJSON.shortest(value)
        case .decimal(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): OrderedJSON.quote(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let object):
            text += "{"
            for (index, member) in object.members.enumerated() {
                if index > 0 { text += "," }
                OrderedJSON.quote(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    /// A whole number without a fraction, any other in full precision; JSON has no infinity.
    static func shortest(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        guard let whole = Int(exactly: value), abs(value) < 1e15 else { return "\(value)" }
        return String(whole)
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            case _: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// The members of a JSON object in order of insertion.
struct JSONObject: Sendable, Equatable {
    /// A name with its value.
    struct Member: Sendable, Equatable {
        var key: String
        var value: OrderedJSON
    }

    private(set) var members: [Member] = []

    var keys: [String] { members.map(\.key) }

    /// The value of that name. Setting a new name appends the member; setting nil removes it.
    subscript(_ key: String) -> OrderedJSON? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension OrderedJSON: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (String, OrderedJSON)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
