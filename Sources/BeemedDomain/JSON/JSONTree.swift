import Foundation

/// Any JSON value, for answers in an undocumented format and for bodies of health data.
package enum JSONTree: Sendable, Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    /// Parses a whole text; nil when it is not JSON (RFC 8259).
    package init?(_ body: [UInt8]) {
        guard
            let value = try? JSONSerialization.jsonObject(
                with: Data(body), options: .fragmentsAllowed)
        else { return nil }
        self.init(value)
    }

    private init(_ value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let list as [Any]: self = .list(list.map(JSONTree.init))
        case let object as [String: Any]: self = .object(object.mapValues(JSONTree.init))
        // Before the number: Foundation converts between numbers and booleans.
        case let number as NSNumber:
            self =
                number === NSNumber(value: true) || number === NSNumber(value: false)
                ? .flag(number.boolValue) : .number(number.doubleValue)
        default: self = .null
        }
    }

    /// The member of that name, if it is an object.
    package subscript(_ name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text, if it is a text.
    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The number, if it is a number.
    package var number: Double? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The members, if it is an object.
    package var members: [String: JSONTree]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The elements, if it is a list.
    package var elements: [JSONTree]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// Every text in it, with the name of its member (empty for none), in no order.
    var texts: [(name: String, text: String)] { texts(under: "") }

    private func texts(under name: String) -> [(name: String, text: String)] {
        switch self {
        case .null, .flag, .number: []
        case .text(let text): [(name, text)]
        case .list(let elements): elements.flatMap { $0.texts(under: name) }
        case .object(let members):
            members.flatMap { member in
                [("", member.key)] + member.value.texts(under: member.key)
            }
        }
    }

    /// Whether it is neither null nor an empty list or object.
    var isSomething: Bool {
        switch self {
        case .null: false
        case .list(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        case .flag, .number, .text: true
        }
    }
}
