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

    /// The first value of a parameter of the query.
    package func parameter(_ name: String) -> String? {
        FormDecoder.pairs(target.query ?? "").first { $0.name == name }?.value
    }

    /// The whole number in a parameter of the query; nil without the parameter.
    func number(_ name: String, from range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = parameter(name) else { return nil }
        return try FormDecoder.number(text, of: name, from: range)
    }
}

extension FormDecoder {
    static func number(
        _ value: String, of name: String, from range: ClosedRange<Int>
    ) throws(Problem) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw .malformed(
                "'\(name)' must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
