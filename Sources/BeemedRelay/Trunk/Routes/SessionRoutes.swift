import BeemedDomain
import RelayHTTP

enum SessionRoutes {
    /// `GET /login?code=`: signs this browser in, by a link that no prefetch or preview uses up.
    static func signIn(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let access = relay.access
        let code = FormDecoder.value(
            of: ["code"], in: call.request.target.query ?? "", atMost: Credentials.maxTokenBytes)
        guard let code, let grant = access.links.grant(of: code, at: call.moment.monotonic) else {
            // A signed-in browser has opened the link before, and goes on to the page.
            guard !access.isSignedIn(call.request, call.context) else {
                let root = Response.Field("Location", call.request.target.root)
                return Response(status: 303, fields: [root])
            }
            throw access.tooManyFailures(call.context) ?? .linkExpired
        }
        access.links.remove(code)
        relay.log.info("a browser signs in as the owner", [("peer", "\(call.context.peer)")])
        let token = access.sessions.begin(at: call.moment.wall, device: grant.device)
        relay.endRevoked()
        let root = call.request.target.root
        // A page that navigates on, not a redirect: after a link from another site the browser
        // would not send a strict cookie with the redirected request.
        let page = Response.page(
            "Signed in", "<p><a class=\"button primary\" href=\"\(root)\">Go on</a></p>",
            root: root, next: root,
            fields: [
                .cookie(access.sessionCookie, token.text, Sessions.lifetime, call.context)
            ])
        // Also if that fails: somebody who is to make room on the disk may need the page for it.
        return relay.later(call) { () async throws(Problem) in
            _ = await relay.files.save(as: .sessions) { access.sessions }
            return page
        }
    }

    static func signOut(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let access = relay.access
        let session = access.session(in: call.request)
        return try change(relay, call) { sessions in
            if let session { sessions.end(session) }
            return .ok(fields: [.cookie(access.sessionCookie, "", 0, call.context)])
        }
    }

    static func signOutEverywhere(
        _ relay: isolated Relay, _ call: Call
    ) throws(Problem) -> Response? {
        relay.access.links = .links
        return try change(relay, call) { sessions in
            sessions = Sessions()
            return .ok()
        }
    }

    static func ownerLink(_ relay: isolated Relay, _ call: Call) -> Response? {
        let access = relay.access
        let grant = access.grant(call.bearer, call.request, call.context)
        let link = access.links.offerLink(at: call.moment.monotonic, by: grant)
        return .json { json in
            json.add("path", link)
            json.add("expiresIn", Int64(access.links.lifetime))
        }
    }

    private static func change(
        _ relay: isolated Relay, _ call: Call,
        _ edit: (inout Sessions) throws(Problem) -> Response
    ) throws(Problem) -> Response? {
        try relay.change(
            call, .sessions, "the sign-in", from: { relay.access.sessions }, edit,
            apply: { sessions in
                relay.access.sessions = sessions
                relay.endRevoked()
            })
    }
}

extension Response.Field {
    /// A cookie that scripts cannot read, for so many seconds. Unless told otherwise, it is not sent
    /// from other sites.
    static func cookie(
        _ name: String, _ value: String, path: String = "/", sameSite: String = "Strict",
        _ seconds: Int64, _ context: RequestContext
    ) -> Response.Field {
        let secure = context.isSecure ? "; Secure" : ""
        return Response.Field(
            "Set-Cookie",
            "\(name)=\(value); Path=\(context.prefix)\(path); HttpOnly; SameSite=\(sameSite); "
                + "Max-Age=\(seconds)\(secure)")
    }
}
