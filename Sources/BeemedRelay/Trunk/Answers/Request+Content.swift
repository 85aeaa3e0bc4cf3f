import BeemedDomain
package import RelayHTTP

extension Request {
    /// The content, read as JSON. Its members have the names of the properties; any other one is
    /// refused: a limit that was mistyped would be none.
    ///
    /// - Parameters:
    ///   - shown: members that are only shown, so that what was shown may be sent again.
    ///   - advice: what to send instead of content that cannot be read.
    package func content<Content: Decodable>(
        _ type: Content.Type = Content.self, besides shown: [String] = [], orSay advice: String
    ) throws(Problem) -> Content {
        guard let content = Content(json: body), let given = JSONTree(body)?.members else {
            throw .malformed(advice)
        }
        let names = Mirror(reflecting: content).children.compactMap(\.label)
        if let unknown = given.keys.sorted().first(where: { !(names + shown).contains($0) }) {
            let others = names.map { "'\($0)'" }.joined(separator: ", ")
            throw Problem(
                .unknownField,
                "unknown member '\(unknown.cut(to: 40))' here; this path takes \(others)")
        }
        return content
    }

    /// The parameters of its query.
    package var query: Query { Query(target.query) }
}

/// The parameters of a query, or of a form. Of several of one name the last one counts.
package struct Query {
    private let values: [String: String]

    /// The parameters in a text; none without one.
    package init(_ text: String?) {
        values = Dictionary(FormDecoder.pairs(text ?? "")) { $1 }
    }

    /// The text of a parameter; nil without it.
    package subscript(name: String) -> String? { values[name] }

    /// A parameter as a value; nil without it.
    ///
    /// - Parameter words: what it must be, for the refusal.
    func value<Value>(
        _ name: String, mustBe words: String, _ read: (String) -> Value?
    ) throws(Problem) -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = read(text) else { throw .malformed("'\(name)' must be \(words)") }
        return value
    }

    /// The whole number in a parameter; nil without it.
    func number(_ name: String, from range: ClosedRange<Int>) throws(Problem) -> Int? {
        try value(name, mustBe: "from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}
