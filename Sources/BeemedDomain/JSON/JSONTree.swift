/// Any JSON value, for answers in an undocumented format and for bodies of health data.
package enum JSONTree: Sendable, Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    /// Why a text was not parsed.
    package enum Fault: Error, Equatable {
        /// The text is not JSON from this index on.
        case noJSON(at: Int)
        /// The text has more values than may be read.
        case tooMany
    }

    /// Parses a whole text; nil for text that is not JSON (RFC 8259).
    package init?(_ body: [UInt8]) {
        do throws(Fault) {
            try self.init(body, maxValues: .max)
        } catch { return nil }
    }

    /// Parses a whole text.
    ///
    /// - Parameter maxValues: the greatest number of values, since a value takes more memory than
    ///   its text: `{}` twelve times as much.
    package init(_ body: [UInt8], maxValues: Int) throws(Fault) {
        // Some servers begin with a byte order mark, which RFC 8259 lets a reader ignore.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var reader = JSONReader(body.starts(with: mark) ? body.dropFirst(mark.count) : body[...])
        var left = maxValues
        do throws(JSONReader.Fault) {
            try self.init(&reader, &left)
            try reader.expectEnd()
        } catch { throw left < 0 ? .tooMany : .noJSON(at: reader.position) }
    }

    /// Reads a value. Of several members with one name the last one counts.
    ///
    /// - Parameter left: how many more values there may be.
    package init(_ reader: inout JSONReader, _ left: inout Int) throws(JSONReader.Fault) {
        left -= 1
        guard left >= 0 else { throw JSONReader.Fault() }
        switch reader.next {
        case 0x7B:
            var members: [String: JSONTree] = [:]
            try reader.members { (name, value) throws(JSONReader.Fault) in
                members[name] = try JSONTree(&value, &left)
            }
            self = .object(members)
        case 0x5B:
            var elements: [JSONTree] = []
            if try reader.begin(.list) {
                repeat {
                    elements.append(try JSONTree(&reader, &left))
                } while try reader.another(in: .list)
            }
            self = .list(elements)
        case 0x22: self = .text(try reader.string())
        case 0x74, 0x66: self = .flag(try reader.flag())
        case 0x6E:
            try reader.skip()
            self = .null
        default: self = .number(try reader.double())
        }
    }

    /// The member of that name, if it is an object.
    package subscript(_ name: String) -> JSONTree? { members?[name] }

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

    /// Whether the value is neither null nor an empty list or object.
    var isSomething: Bool {
        switch self {
        case .null: false
        case .list(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        case .flag, .number, .text: true
        }
    }
}

extension JSONTree: Encodable {
    /// Writes the value as read; whole numbers without a fraction, so that integers can be decoded.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number):
            if let whole = Int64(exactly: number) {
                try container.encode(whole)
            } else {
                try container.encode(number)
            }
        case .text(let text): try container.encode(text)
        case .list(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
