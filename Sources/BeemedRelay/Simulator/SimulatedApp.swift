import RelayHTTP

/// An OAuth app registered at Beeminder.
struct SimulatedApp: Sendable {
    let clientID: String
    /// Must be sent exactly like this.
    let redirectURI: String
    /// Receives a notification when a token is revoked.
    var deauthorizeURL: String?
    /// Receives a notification when one of the app's goals needs data.
    var autofetchURL: String?

    /// The callback for a goal whose data comes from this app.
    func autofetch(_ username: String, _ goal: SimulatedGoal) -> SimulatedCallback? {
        guard goal.autodata == clientID, let autofetchURL else { return nil }
        return SimulatedCallback(
            url: autofetchURL, form: "username=\(username)&slug=\(goal.slug)")
    }
}

/// OAuth in Beeminder's form: the token is issued at once, in the query, not in a fragment.
extension SimulatedBeeminder {
    /// `GET /apps/authorize?client_id&redirect_uri&response_type=token`.
    mutating func authorize(_ call: SimulatedCall) -> Response {
        guard let app = apps.first(where: { $0.clientID == call.text("client_id") }),
            call.text("redirect_uri") == app.redirectURI, call.text("response_type") == "token"
        else {
            return .page(
                400, "<html><body>Unknown app, or not its registered redirect</body></html>")
        }
        guard let index = users.firstIndex(where: { $0.username == signedInUser }) else {
            return .page(401, "<html><body>Sign in to Beeminder first</body></html>")
        }
        guard quirks.authorizesAtOnce || call.text("decision") == "allow" else {
            return .page(200, question(app, call))
        }
        let token = String(random.next(), radix: 36) + String(random.next(), radix: 36)
        users[index].accessTokens[token] = app.clientID
        let joint = app.redirectURI.contains("?") ? "&" : "?"
        let answer = "access_token=\(token)&username=\(users[index].username)"
        return .redirect(to: app.redirectURI + joint + answer)
    }

    /// Revokes the tokens of all apps.
    ///
    /// - Returns: the notifications to the apps.
    mutating func revokeAccessTokens() -> [SimulatedCallback] {
        var callbacks: [SimulatedCallback] = []
        for index in users.indices {
            for (token, clientID) in users[index].accessTokens.sorted(by: { $0.key < $1.key }) {
                let app = apps.first { $0.clientID == clientID }
                guard let url = app?.deauthorizeURL else { continue }
                callbacks.append(SimulatedCallback(url: url, form: "access_token=\(token)"))
            }
            users[index].accessTokens = [:]
        }
        return callbacks
    }

    private func question(_ app: SimulatedApp, _ call: SimulatedCall) -> String {
        let fields = ["client_id", "redirect_uri", "response_type"].map { name in
            let value = HTMLText.escaped(call.text(name) ?? "")
            return "<input type=hidden name=\(name) value=\"\(value)\">"
        }
        return """
            <html><body><h1>Authorize \(HTMLText.escaped(app.clientID))?</h1>
            <form action="/apps/authorize">\(fields.joined())
            <button name=decision value=allow>Authorize</button></form></body></html>
            """
    }
}
