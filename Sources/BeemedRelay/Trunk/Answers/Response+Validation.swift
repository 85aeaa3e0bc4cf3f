package import RelayHTTP

/// The entity tags of `If-None-Match` (RFC 9110 section 13.1.2) as bytes.
package struct KnownTags: Sendable {
    private let fields: [ArraySlice<UInt8>]

    /// Nil without the field.
    package init?(_ request: Request) {
        fields = request.fields.allBytes(of: .ifNoneMatch)
        if fields.isEmpty { return nil }
    }

    /// Whether this tag is among them, weak or not, or all are meant.
    fileprivate func contains(_ tag: String) -> Bool {
        // With its quotes it is found nowhere else.
        let tag = Array(tag.utf8)
        return fields.contains {
            $0.elementsEqual("*".utf8) || ASCII.position(of: tag, in: $0) != nil
        }
    }
}

extension Response {
    /// This answer, or 304 to a client that already has it (RFC 9110 section 13.1.2).
    package func unlessKnown(_ known: KnownTags?) -> Response {
        guard let known, let tag = field("ETag"), known.contains(tag) else { return self }
        return Response(status: 304, fields: fields.filter(\.isRepeated))
    }
}

extension Response.Field {
    /// No cache may store the answer (RFC 9111 section 5.2.2.5).
    package static let notStored = Response.Field("Cache-Control", "no-store")

    /// The fields that a 304 repeats (RFC 9110 section 15.4.5).
    fileprivate var isRepeated: Bool {
        isNamed("ETag") || isNamed("Cache-Control") || isNamed("Vary")
    }
}
