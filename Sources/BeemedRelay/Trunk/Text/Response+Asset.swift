package import RelayHTTP

extension Response {
    /// A static file of the program with an ETag; clients must revalidate each time.
    ///
    /// - Parameters:
    ///   - kind: its media type.
    ///   - policy: its Content Security Policy (Level 3).
    ///   - tag: replaces a digest of the whole content.
    package static func asset(
        _ kind: String, _ content: [UInt8], _ policy: String, tag: [UInt8]? = nil
    ) -> Response {
        let digest = (tag ?? SHA256Digest.of(content)).prefix(8)
        let tag = SHA256Digest.hex(digest)
        return Response(
            status: 200,
            fields: [
                Field("Content-Type", kind), Field("ETag", "\"\(tag)\""),
                Field("Cache-Control", "no-cache"),
                Field("Content-Security-Policy", policy),
                Field("Referrer-Policy", "no-referrer"),
            ], body: content)
    }
}
