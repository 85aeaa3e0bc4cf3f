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
