package import RelayHTTP

extension Request {
    /// The content, read as JSON.
    ///
    /// - Parameter advice: what to send instead of content that cannot be read.
    package func content<Content: Decodable>(
        _ type: Content.Type = Content.self, orSay advice: String
    ) throws(Problem) -> Content {
        guard let content = Content(json: body) else {
            throw .malformed(advice)
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
