package import RelayHTTP

extension Response {
    /// A static file of the program with an ETag; clients must revalidate each time.
    package static func asset(
        _ kind: String, _ content: [UInt8], _ policy: String
    ) -> Response {
        let tag = SHA256Digest.hex(SHA256Digest.of(content).prefix(8))
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
