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

extension Relay {
    /// `POST /qr`: the QR code of the text in the body, which is kept nowhere.
    func drawCode(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        current.isReadOnly = true
        guard let text = String(validating: request.body, as: UTF8.self), let code = QRCode(text)
        else { throw .malformed("send a text of at most 213 bytes of UTF-8") }
        return .json(
            JSONWriter.object { json in
                json.add("size", Int64(code.size + 8))
                json.add("path", code.path)
            })
    }
}
