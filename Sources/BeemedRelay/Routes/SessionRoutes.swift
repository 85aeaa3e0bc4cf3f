import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /login?code=`: signs this browser in. A prefetch or link preview does not consume the
    /// link.
    func signIn(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        guard request.method == .get, !request.isPrefetch else {
            return .text(200, "Open this in the browser that is to be signed in.")
        }
        let code = FormDecoder.pairs(request.target.query ?? "").first { $0.name == "code" }?.value
        guard let code, let grant = access.links.redeem(code, at: context.moment.monotonic) else {
            // A signed-in browser has opened the link before, and goes on to the page.
            guard !isSignedIn(request, context) else { return .goHome }
            throw access.tooManyFailures(context) ?? .linkExpired
        }
        let token = try changeSessions { $0.begin(at: context.moment.wall, device: grant.device) }
        log.info("a browser signed in as the owner", [("peer", "\(context.peer)")])
        // A page that navigates on, not a redirect: after a link from another site the browser
        // would not send a strict cookie with the redirected request.
        return .page(
            PageTexts.signedIn,
            "<p><a class=\"button primary\" href=\"/\">\(PageTexts.goOn)</a></p>", next: "/",
            fields: [.session(token.text, seconds: Sessions.lifetime, context)])
    }

    /// `POST /logout`: signs this browser out.
    func signOut(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        if let token = Credentials.session(in: request) {
            try changeSessions { $0.end(token) }
        }
        return .json(
            JSONWriter.object { $0.add("ok", true) }, fields: [.session("", seconds: 0, context)])
    }

    /// `DELETE /sessions`: signs every browser out.
    func signOutEverywhere(_ request: Request, _ context: RequestContext) throws(Problem)
        -> Response
    {
        _ = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        access.links = SignInLinks()
        try changeSessions { $0 = Sessions() }
        return .json(JSONWriter.object { $0.add("ok", true) })
    }

    /// `POST /owner-link`: creates another sign-in link.
    func ownerLink(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        let device = try access.authenticate(request, bodyToken: nil, devices, .manage, context)
        let grant = access.grant(device, request)
        let link = access.links.offer(at: context.moment.monotonic, by: grant)
        return .json(
            JSONWriter.object { json in
                json.add("path", link)
                json.add("expiresIn", Int64(SignInLinks.lifetime))
            })
    }

    /// Changes the sessions on the disk, then in memory.
    private func changeSessions<Value>(
        _ change: (inout Sessions) -> Value
    ) throws(Problem) -> Value {
        var sessions = access.sessions
        let value = change(&sessions)
        guard store.save(sessions, log) else {
            throw Problem(.notSaved, "the sign-in could not be saved; make room and try again")
        }
        access.sessions = sessions
        endRevoked()
        return value
    }
}

extension Request {
    /// Whether this is a prefetch or a preview by a browser. Browsers mark these with different
    /// header fields.
    var isPrefetch: Bool {
        let names: [FieldName] = [.purpose, .secPurpose, .xPurpose, .xMoz]
        return names.flatMap(fields.all).contains { purpose in
            let purpose = purpose.lowercased()
            return purpose.contains("prefetch") || purpose.contains("preview")
        }
    }
}

extension Response {
    fileprivate static let goHome = Response(
        status: 303, fields: [Field("Location", "/"), Field("Cache-Control", "no-store")])
}

extension Response.Field {
    /// The session cookie: not readable by scripts, not sent from other sites.
    fileprivate static func session(
        _ token: String, seconds: Int64, _ context: RequestContext
    ) -> Response.Field {
        let secure = context.isSecure ? "; Secure" : ""
        return Response.Field(
            "Set-Cookie",
            "\(Credentials.cookie)=\(token); Path=/; HttpOnly; SameSite=Strict; "
                + "Max-Age=\(seconds)\(secure)")
    }
}
