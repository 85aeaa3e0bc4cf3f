package import RelayHTTP

/// The entity tags of a request's `If-None-Match` (RFC 9110 section 13.1.2), as bytes: anybody may
/// send thousands of them.
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
        let tag = Array(tag.utf8)
        return fields.contains { KnownTags.list($0, contains: tag) }
    }

    private static func list(_ list: ArraySlice<UInt8>, contains tag: [UInt8]) -> Bool {
        let text = list.span
        let tag = tag.span
        var isBeginning = true
        for index in text.indices {
            let byte = text[index]
            if isBeginning, byte == UInt8(ascii: "\""), text.count - index >= tag.count {
                let given = text.extracting(index..<(index + tag.count))
                let rest = text.extracting((index + tag.count)...)
                if given.equals(tag), isEnd(rest) { return true }
            }
            // What stands before a tag; also `W/`, as one of them.
            switch byte {
            case UInt8(ascii: ","): isBeginning = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "W"), UInt8(ascii: "/"): break
            default: isBeginning = false
            }
        }
        return false
    }

    /// Whether an element ends here.
    private static func isEnd(_ rest: borrowing Span<UInt8>) -> Bool {
        for index in rest.indices {
            switch rest[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): continue
            default: return rest[index] == UInt8(ascii: ",")
            }
        }
        return true
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
