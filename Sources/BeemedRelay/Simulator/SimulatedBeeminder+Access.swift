struct GoalPosition: Sendable {
    let user: Int
    let goal: Int
}

/// Authentication, and access to users and goals.
extension SimulatedBeeminder {
    /// The user of the credentials, if the path names that user or `me`.
    func owner(_ name: String, _ call: SimulatedCall) throws(Refusal) -> Int {
        let user = try caller(call)
        // Not recorded: the answer to a valid token for another user's path.
        guard name == "me" || name == users[user].username else { throw .notFound }
        return user
    }

    /// The goal of that slug, archived ones included.
    func locate(
        _ name: String, _ slug: String, _ call: SimulatedCall
    ) throws(Refusal) -> GoalPosition {
        let user = try owner(name, call)
        guard let goal = users[user].goals.firstIndex(where: { $0.slug == slug }) else {
            throw .notFound
        }
        return GoalPosition(user: user, goal: goal)
    }

    /// A personal token is a parameter; an app's token is a parameter or a Bearer. Either one is
    /// unknown in the other's place, and the message hints at that.
    private func caller(_ call: SimulatedCall) throws(Refusal) -> Int {
        if let token = call.text("auth_token") {
            guard let user = users.firstIndex(where: { $0.authToken == token }) else {
                throw .badAuthToken
            }
            return user
        }
        guard let token = call.bearer ?? call.text("access_token") else { throw .notSignedIn }
        if let user = users.firstIndex(where: { $0.accessTokens[token] != nil }) { return user }
        if quirks.takesPersonalTokenAsBearer, call.bearer != nil,
            let user = users.firstIndex(where: { $0.authToken == token })
        {
            return user
        }
        throw .badAccessToken
    }

    /// `redirect_to_url`, with which an app sends a signed-in user to a page of the site.
    func redirectTarget(_ call: SimulatedCall) throws(Refusal) -> String? {
        guard let url = call.text("redirect_to_url"), !url.isEmpty else { return nil }
        let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPlain, ["http://", "https://", "/"].contains(where: url.hasPrefix) else {
            throw .badSetting("redirect_to_url")
        }
        return url
    }

    /// The session's token; credentials in the request are ignored.
    func showAuthToken() throws(Refusal) -> OrderedJSON {
        guard let user = users.first(where: { $0.username == signedInUser }) else {
            throw .notSignedIn
        }
        return ["username": .string(user.username), "auth_token": .string(user.authToken)]
    }
}
