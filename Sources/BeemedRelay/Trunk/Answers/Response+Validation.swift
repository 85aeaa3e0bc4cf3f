package import RelayHTTP

/// The entity tags of `If-None-Match` (RFC 9110 section 13.1.2) as bytes: there may be thousands.
package struct KnownTags: Sendable {
    private let fields: [ArraySlice<UInt8>]

    /// Nil without the field.
    package init?(_ request: Request) {
        fields = request.fields.allBytes(of: .ifNoneMatch)
        if fields.isEmpty { return nil }
    }

    /// Whether this tag is among them, weak or not, or all are meant.
    fileprivate func contains(_ tag: String) -> Bool {
        if fields.count == 1, fields[0].elementsEqual("*".utf8) { return true }
        return fields.contains { KnownTags.list($0, contains: tag.utf8) }
    }

    /// Whether a field has the tag. `W/` counts as blanks before it.
    private static func list(_ list: ArraySlice<UInt8>, contains tag: String.UTF8View) -> Bool {
        list.split(separator: UInt8(ascii: ","), maxSplits: maxTags).prefix(maxTags).contains {
            element in
            let given = element.drop { " \tW/".utf8.contains($0) }
            return given.starts(with: tag)
                && given.dropFirst(tag.count).allSatisfy { " \t".utf8.contains($0) }
        }
    }

    /// How many tags of a field are looked at: a client has one or two of a resource.
    private static let maxTags = 64
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
