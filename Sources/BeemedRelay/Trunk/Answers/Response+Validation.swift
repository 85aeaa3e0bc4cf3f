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
        var index = 0
        for _ in 0..<most {
            while index < text.count, isBeforeTag(text[index]) { index += 1 }
            guard text.count - index >= tag.count else { return false }
            let given = text.extracting(index..<(index + tag.count))
            if given.equals(tag), isEnd(text.extracting((index + tag.count)...)) { return true }
            while index < text.count, text[index] != UInt8(ascii: ",") { index += 1 }
        }
        return false
    }

    /// How many tags of a field are looked at: a client has one or two of a resource.
    private static let most = 64

    /// The characters between two tags; also `W/`, as one of them.
    @inline(__always)
    private static func isBeforeTag(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "W"),
            UInt8(ascii: "/"):
            true
        default: false
        }
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
