import RelayHTTP

extension Response {
    /// This answer, or 304 to a client that already has it (RFC 9110 section 13.1.2).
    ///
    /// - Parameter condition: the request's `If-None-Match`.
    func unlessKnown(_ condition: String?) -> Response {
        guard let condition, let tag = field("ETag"), Response.matches(condition, tag) else {
            return self
        }
        return Response(status: 304, fields: fields.filter(\.isRepeated))
    }

    private static func matches(_ condition: String, _ tag: String) -> Bool {
        if condition == "*" { return true }
        return condition.split(separator: ",").contains { element in
            let text = element.drop { $0 == " " || $0 == "\t" }
            let bare = text.hasPrefix("W/") ? text.dropFirst(2) : text
            return bare.trimmingSuffix { $0 == " " || $0 == "\t" } == tag
        }
    }
}

extension Response.Field {
    /// No cache may store the answer (RFC 9111 section 5.2.2.5).
    static let notStored = Response.Field("Cache-Control", "no-store")

    /// The fields that a 304 repeats (RFC 9110 section 15.4.5).
    fileprivate var isRepeated: Bool {
        isNamed("ETag") || isNamed("Cache-Control") || isNamed("Vary")
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ isBlank: (Character) -> Bool) -> Substring {
        var rest = self
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}
