#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Any JSON value, to be written back without being understood.
package indirect enum AnyJSON: Codable, Equatable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([AnyJSON])
    case object([String: AnyJSON])

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([AnyJSON].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: AnyJSON].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .integer(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let members): try container.encode(members)
        }
    }
}

/// An entry of a settings file. One that cannot be read as what it should be costs no other one,
/// and is written back as it was.
package enum SavedEntry<Entry: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    case readable(Entry)
    case unreadable(AnyJSON, fault: String)

    package init(from decoder: any Decoder) throws {
        do {
            self = .readable(try Entry(from: decoder))
        } catch let error as DecodingError {
            let fault = error.words(below: decoder.codingPath.count)
            self = .unreadable(try AnyJSON(from: decoder), fault: fault)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .readable(let entry): try entry.encode(to: encoder)
        case .unreadable(let json, _): try json.encode(to: encoder)
        }
    }
}

extension DecodingError {
    /// What is wrong with an entry, in words.
    ///
    /// - Parameter depth: how many names lead to the entry.
    func words(below depth: Int) -> String {
        func name(_ path: [any CodingKey]) -> String? {
            guard path.count > depth else { return nil }
            return path[depth...].map { key in
                key.intValue.map { "\($0 + 1)" } ?? key.stringValue
            }.joined(separator: ".")
        }
        switch self {
        case .keyNotFound(let key, let context):
            return "'\(name(context.codingPath + [key]) ?? key.stringValue)' is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            guard let name = name(context.codingPath) else { return "it has another form" }
            return "'\(name)' has a value of another kind, or none"
        @unknown default: return "it has another form"
        }
    }
}
