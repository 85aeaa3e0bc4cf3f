import Foundation

/// A JSON object that is put together at run time, its members of any type that can be encoded.
package struct JSONMembers: Encodable {
    private let members: [String: any Encodable]

    /// The members by name.
    package init(_ members: [String: any Encodable]) {
        self.members = members
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (name, value) in members {
            try container.encode(value, forKey: MemberName(stringValue: name))
        }
    }

    /// The object as one line, its members in the order of their names.
    package var bytes: [UInt8] { jsonLine ?? [] }
}

/// The name of a member that is known at run time.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decodable {
    /// Reads a value from JSON; nil where it cannot be read.
    package init?(json bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else {
            return nil
        }
        self = value
    }
}

extension Encodable {
    /// The value as JSON; nil where it has none.
    package var json: [UInt8]? { json([]) }

    /// The same in one line, its members in the order of their names.
    var jsonLine: [UInt8]? { json([.sortedKeys, .withoutEscapingSlashes]) }

    /// The same as in a file, for people, too.
    var jsonFile: [UInt8]? { json([.prettyPrinted, .sortedKeys]) }

    private func json(_ form: JSONEncoder.OutputFormatting) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = form
        return (try? encoder.encode(self)).map { Array($0) }
    }
}
