import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /login?code=`: signs this browser in. What only looks at the link uses it up no more
    /// than a preview in a chat should.
    func signIn(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        guard request.method == .get, !request.isPrefetch else {
            return .text(200, "Open this in the browser that is to be signed in.")
        }
        let code = FormDecoder.pairs(request.target.query ?? "").first { $0.name == "code" }?.value
        guard let code, let grant = access.links.redeem(code, at: context.moment.monotonic) else {
            // Whoever is signed in has opened the link before, and wants to see the page.
            guard !isSignedIn(request, context) else { return .goHome }
            throw access.tooManyFailures(context) ?? .linkExpired
        }
        let token = try changeSessions { $0.begin(at: context.moment.wall, device: grant.device) }
        log.info("a browser signed in as the owner", [("peer", "\(context.peer)")])
        // A page of ours that goes on to the next one: a browser that follows a link from another
        // site would not show a strict cookie to where it is merely redirected.
        return .page(
            "Signed in", "<p><a class=\"button primary\" href=\"/\">Go on</a></p>", next: "/",
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

    /// `POST /owner-link`: another link that signs a browser in.
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

    /// Changes who is signed in on the disk and then here.
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
    /// Whether somebody only looks ahead at a link, as a browser does that guesses the next page or
    /// shows a picture of it. Each kind has its own field for saying so.
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
    /// The cookie of a signed-in browser: no script reads it, and no other site sends it.
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
