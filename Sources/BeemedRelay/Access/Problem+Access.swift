import RelayHTTP

/// The refusals of those who are not known: what was wrong with the token, or that there was none.
extension Problem {
    /// No token came, or `Authorization` does not say what its value is.
    static func withoutToken(_ request: Request) -> Problem {
        guard request[.authorization] != nil else { return noToken.asking(request) }
        return withoutScheme.asking(request)
    }

    /// A token came that is nobody's.
    static func unknownToken(_ request: Request) -> Problem { unknown.asking(request) }

    /// A browser shows a cookie that is nobody's any more.
    static let signedOut = Problem(
        .unauthorized,
        "this browser is not signed in any more; 'beemed-relay owner-link' prints a link that does "
            + "it", fields: [bearer])

    /// What was shown when this began is good no longer.
    static let revoked = Problem(
        .unauthorized,
        "this token, or the browser's sign-in, was taken away while this waited; "
            + "'beemed-relay device rotate NAME' makes another token", fields: [bearer])

    private static let noToken = Problem(
        .unauthorized,
        "no token came with this; send this device's token, as in 'Authorization: Bearer TOKEN'; "
            + "'beemed-relay device add NAME' makes one", fields: [bearer])

    private static let withoutScheme = Problem(
        .unauthorized,
        "'Authorization' came without a token that can be read: write the word Bearer before it, "
            + "as in 'Authorization: Bearer TOKEN'", fields: [bearer])

    private static let unknown = Problem(
        .unauthorized,
        "this token is not known here: it was mistyped, replaced or removed; "
            + "'beemed-relay device rotate NAME' makes another one", fields: [bearer])

    /// The same, which also asks for a password (RFC 7617): there are clients that send the one in
    /// `http://x:TOKEN@host/` only when it is asked for. A browser is not asked, since it would ask
    /// the person in front of it.
    private func asking(_ request: Request) -> Problem {
        guard !Browser.isLikely(request) else { return self }
        var problem = self
        problem.fields = Problem.basicAndBearer
        return problem
    }

    private static let bearer = Response.Field(
        "WWW-Authenticate", "Bearer realm=\"beemed-relay\"")
    /// Basic first, for clients that look at the first field only.
    private static let basicAndBearer = [
        Response.Field("WWW-Authenticate", "Basic realm=\"beemed-relay\""), bearer,
    ]
}
