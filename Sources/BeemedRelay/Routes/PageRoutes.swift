import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /`: the page, or help to sign in.
    func home(_ request: Request, _ context: RequestContext) -> Response {
        guard isSignedIn(request, context) else { return .signInHelp }
        current.isReadOnly = true
        return Page.home.unlessKnown(request.fields.joined(.ifNoneMatch))
    }

    /// `GET /page/{file}`: a static file of the page, without data of this relay.
    func page(_ file: String, _ request: Request) throws(Problem) -> Response {
        guard let response = Page.files[file] else {
            throw .notFound("the page has no file '\(file.prefix(64))'; open / for the page")
        }
        current.isReadOnly = true
        return response.unlessKnown(request.fields.joined(.ifNoneMatch))
    }

    /// Whether the request comes from a browser that is signed in as the owner.
    func isSignedIn(_ request: Request, _ context: RequestContext) -> Bool {
        Credentials.session(in: request)
            .map { access.sessions.holds($0, at: context.moment.wall) } ?? false
    }
}

extension Response {
    /// A static file of the program with an ETag; clients must revalidate each time.
    ///
    /// - Parameters:
    ///   - kind: its media type.
    ///   - policy: its Content Security Policy (Level 3).
    ///   - tag: replaces a digest of the whole content.
    static func asset(
        _ kind: String, _ content: [UInt8], _ policy: String, tag: [UInt8]? = nil
    ) -> Response {
        let digest = (tag ?? SHA256Digest.of(content)).prefix(8)
        let tag = digest.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
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
