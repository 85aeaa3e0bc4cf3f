import BeemedDomain
package import RelayHTTP

/// Refusals of unauthenticated requests: invalid or missing tokens.
extension Problem {
    /// No token, or an `Authorization` field without a scheme.
    package static func withoutToken(_ request: Request) -> Problem {
        let fields = request.fields
        guard fields.bytes(of: .authorization) != nil else { return noToken.asking(request) }
        if fields.isWord(.bearer, of: .authorization) { return emptyBearer.asking(request) }
        return withoutScheme.asking(request)
    }

    /// The token is unknown.
    static func unknownToken(_ request: Request) -> Problem { unknown.asking(request) }

    /// The browser's session cookie is no longer valid.
    static let signedOut = Problem(
        .unauthorized,
        "this browser is not signed in any more; 'beemed-relay owner-link' prints a link that does "
            + "it", fields: [bearer])

    /// The credential of a waiting request was revoked.
    static let revoked = Problem(
        .unauthorized,
        "this token, or the browser's sign-in, was taken away while this waited; "
            + "'beemed-relay device rotate NAME' makes another token", fields: [bearer])

    private static let noToken = Problem(
        .unauthorized,
        "no token came with this; send this device's token, as in 'Authorization: Bearer TOKEN'; "
            + "'beemed-relay device add NAME' makes one", fields: [bearer])

    private static let emptyBearer = Problem(
        .unauthorized,
        "'Authorization' has the word Bearer and no token after it; is the variable with the token "
            + "set?", fields: [bearer])

    private static let withoutScheme = Problem(
        .unauthorized,
        "'Authorization' came without a token that can be read: write the word Bearer before it, "
            + "as in 'Authorization: Bearer TOKEN'", fields: [bearer])

    private static let unknown = Problem(
        .unauthorized,
        "this token is not known here: it was mistyped, has quotes around it, or was replaced or "
            + "removed; 'beemed-relay device rotate NAME' makes another one", fields: [bearer])

    /// Adds a Basic challenge (RFC 7617): some clients send the password in `http://x:TOKEN@host/`
    /// only after one. Browsers get none, since they would show a password dialog.
    private func asking(_ request: Request) -> Problem {
        guard !Browser.isLikely(request) else { return self }
        var problem = self
        problem.fields = Problem.basicAndBearer
        return problem
    }

    private static let bearer = Response.Field(
        "WWW-Authenticate", "Bearer realm=\"beemed-relay\"")
    /// Basic first, for clients that read only the first field.
    private static let basicAndBearer = [
        Response.Field("WWW-Authenticate", "Basic realm=\"beemed-relay\""), bearer,
    ]
}
