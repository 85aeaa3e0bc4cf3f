#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    import Foundation
#endif

/// The members of a JSON object that is put together at run time, each of any type that can be
/// encoded: the body of a command's request, or its output.
package struct JSONMembers: Encodable {
    private let members: [String: any Encodable]

    /// The members by name.
    package init(_ members: [String: any Encodable]) {
        self.members = members
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in members {
            try container.encode(value, forKey: Name(stringValue: name))
        }
    }

    /// The object as one line, its members in the order of their names.
    package var data: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)) ?? Data()
    }
}
