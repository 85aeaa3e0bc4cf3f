import BeemedDomain
import RelayHTTP

/// Sign-in at Beeminder instead of pasting a token (Beeminder API reference, "Client OAuth").
enum OAuthRoutes {
    /// `GET /oauth/start`: redirects to Beeminder, or explains the missing setup.
    static func begin(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let (settings, access) = (relay.settings, relay.access)
        let (scheme, host) = (call.context.isSecure ? "https" : "http", call.context.host)
        // Must equal the registered redirect URI exactly.
        let redirect =
            settings.oauthRedirectURI
            ?? "\(scheme)://\(host ?? "localhost")\(call.context.prefix)/oauth/callback"
        guard let client = settings.oauthClientID else { return .oauthGuide(redirect, call) }
        try relay.authenticate(call, .manage)
        let state = access.authorizations.offer(
            at: call.moment.monotonic,
            by: access.grant(call.bearer, call.request, call.context))
        let query = FormEncoder.encode([
            ("client_id", client), ("redirect_uri", redirect), ("response_type", "token"),
            ("state", state),
        ])
        return Response(
            status: 302,
            fields: [
                Response.Field("Location", "\(settings.beeminderOrigin)/apps/authorize?\(query)"),
                .authorization(state, seconds: Int64(access.authorizations.lifetime), call.context),
            ] + Response.unseen)
    }

    /// `GET /oauth/callback`: Beeminder's redirect, with the token in the query. The cookie proves
    /// that this relay began the authorization; a returned `state` binds the answer to that.
    /// Beeminder does not document `state`: without it the user must confirm on a page of the
    /// relay, which sends `POST /oauth/callback`.
    static func end(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let access = relay.access
        // Before anything is decoded: anybody may send this.
        let name = Credentials.authorizationCookie
        guard let cookie = Credentials.cookie(named: name, in: call.request),
            access.authorizations.grant(of: cookie, at: call.moment.monotonic) != nil
        else { throw .notBegunHere }
        let isAnswer = call.request.method == .post
        let form =
            isAnswer
            ? String(decoding: call.request.body, as: UTF8.self) : call.request.target.query
        let parameters = Query(form)
        if isAnswer, !OriginCheck.isOwn(call.request, host: call.context.host) { throw .crossSite }
        let state = parameters["state"]
        if let state, TokenDigest(of: state) != TokenDigest(of: cookie) { throw .notBegunHere }
        guard let token = parameters["access_token"], !token.isEmpty else {
            access.authorizations.remove(cookie)
            return .oauthDenied(call)
        }
        let account = Account.accessToken(token)
        guard account.isPlausible else { throw .malformed("that is not an access token") }
        let user = parameters["username"]
        guard isAnswer || state != nil else { return .oauthQuestion(token, user: user, call) }
        access.authorizations.remove(cookie)
        let claimed = user.flatMap { $0.isEmpty ? nil : $0 }
        return AccountRoutes.connect(relay, call, account, claimed: claimed) {
            let core = relay.engine.core
            return .connected(user: core.view.user, isVerified: core.view.isVerified, to: call)
        }
    }
}

extension Problem {
    fileprivate static let notBegunHere = Problem.forbidden(
        "this authorisation was not begun in this browser, or more than ten minutes ago, or is "
            + "over, or another tab has begun one since; close other tabs, and open /oauth/start "
            + "to begin another")
}

extension Response.Field {
    /// The cookie of an authorization. `SameSite=Lax`, since the browser must send it with
    /// Beeminder's redirect.
    fileprivate static func authorization(
        _ state: String, seconds: Int64, _ context: RequestContext
    ) -> Response.Field {
        .cookie(
            Credentials.authorizationCookie, state, path: "/oauth", sameSite: "Lax", seconds,
            context)
    }
}

extension Response {
    /// For responses with a token in their URL, or a link to one.
    fileprivate static let unseen = [
        .notStored, Field("Referrer-Policy", "no-referrer"),
    ]

    /// Redirects at once, so that the token stays neither in the address bar nor in the history.
    fileprivate static func connected(
        user: String?, isVerified: Bool, to call: Call
    ) -> Response {
        let root = call.request.target.root
        let name = user.map { " as <strong>\(HTMLText.escaped($0))</strong>" } ?? ""
        let words =
            isVerified
            ? "Connected\(name); presses are delivered from now on."
            : "Saved; not verified yet, since Beeminder cannot be reached."
        let link = "<a class=\"button primary\" href=\"\(root)\">Go on</a>"
        return .page(
            isVerified ? "Connected" : "Saved",
            "<p>\(words)</p>\n<p>\(link)</p>", root: root, next: root,
            fields: [.authorization("", seconds: 0, call.context)])
    }

    fileprivate static func oauthDenied(_ call: Call) -> Response {
        let root = call.request.target.root
        return .page(
            "Not connected",
            """
            <p>Beeminder gave no token, so nothing has changed.</p>
            <p class="row"><a class="button primary" href="start">Try again</a>
            <a class="button" href="\(root)">Go back</a></p>
            """, root: root, fields: [.authorization("", seconds: 0, call.context)])
    }

    /// The authorization is refused unless the user confirms it.
    fileprivate static func oauthQuestion(
        _ token: String, user: String?, _ call: Call
    ) -> Response {
        let root = call.request.target.root
        let name = HTMLText.escaped(user ?? "a user whose name Beeminder did not give")
        return .page(
            "Connect this account?",
            """
            <p>This relay is to log to the Beeminder account of <strong>\(name)</strong>. If you \
            did not just allow that at Beeminder, leave.</p>
            <form class="row" method="post" action="callback">
            <input type="hidden" name="access_token" value="\(HTMLText.escaped(token))">
            <input type="hidden" name="username" value="\(HTMLText.escaped(user ?? ""))">
            <button class="primary">Connect</button>
            <a class="button" href="\(root)">Leave</a></form>
            """, root: root, status: 403, referrer: "same-origin")
    }

    fileprivate static func oauthGuide(_ redirect: String, _ call: Call) -> Response {
        let root = call.request.target.root
        return .page(
            "Sign in at Beeminder",
            """
            <p>Beeminder wants to know this relay first. Once:</p>
            <ol><li>Open <a href="https://www.beeminder.com/apps/new">beeminder.com/apps/new</a>,
            signed in to Beeminder. Any name will do; the redirect URL is
            <code>\(HTMLText.escaped(redirect))</code>, to the letter, and this page must be opened
            under that same name from now on.</li>
            <li>Start the relay with <code>--oauth-client-id</code> and the client id that Beeminder
            shows, or with <code>BEEMED_OAUTH_CLIENT_ID</code> set.</li>
            <li>Come back to this page.</li></ol>
            <p>Or paste your personal token into the settings of
            <a href="\(root)#settings">the page</a>, or into
            <code>beemed-relay connect --auth-token -</code>.</p>
            """, root: root)
    }
}
