import RelayHTTP

/// What is to be done about one call.
struct SimulatedAction: Sendable {
    /// How the answer ends.
    enum Ending: Equatable, Sendable {
        case whole
        /// After so many bytes of the body.
        case cutShort(bytes: Int)
        /// Before its first byte.
        case hangUp
    }

    var response: Response
    var ending = Ending.whole
    /// How long the answer keeps the client waiting.
    var delaySeconds = 0.0
    /// What was taken, for those who look on.
    var posted: [PostedDatapoint] = []
    /// What Beeminder tells the apps of the user.
    var callbacks: [SimulatedCallback] = []

    /// An answer that goes out whole and at once.
    init(_ response: Response) {
        self.response = response
    }
}

/// A POST that Beeminder makes to an app's server.
struct SimulatedCallback: Equatable, Sendable {
    let url: String
    /// Its body, form-encoded.
    let form: String
}

extension Response {
    /// JSON as the live service labels it.
    static func beeminder(_ status: Int, _ json: OrderedJSON) -> Response {
        Response(
            status: status,
            fields: [
                Field("Content-Type", "application/json; charset=utf-8"),
                Field("Access-Control-Allow-Origin", "*"),
            ],
            body: json.bytes)
    }

    /// The answer to a CORS preflight: every method, and whatever fields were asked for.
    ///
    /// Beeminder sends `Access-Control-Allow-Origin` (its change log, 2019); that it answers a
    /// preflight like this is inferred from clients that run in browsers.
    static func preflight(_ requestedFields: String?) -> Response {
        Response(
            status: 200,
            fields: [
                Field("Access-Control-Allow-Origin", "*"),
                Field(
                    "Access-Control-Allow-Methods",
                    "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"),
                Field("Access-Control-Allow-Headers", requestedFields ?? "*"),
                Field("Access-Control-Max-Age", "7200"),
            ],
            body: [])
    }

    /// A page of HTML.
    static func page(_ status: Int, _ html: String, fields: [Field] = []) -> Response {
        Response(
            status: status,
            fields: [
                Field("Content-Type", "text/html; charset=utf-8"),
                Field("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
                Field("Cache-Control", "no-store"),
            ] + fields,
            body: Array(html.utf8))
    }

    /// A redirect as Rails words it.
    static func redirect(to url: String) -> Response {
        let link = "<a href=\"\(HTMLText.escaped(url))\">redirected</a>"
        let html = "<html><body>You are being \(link).</body></html>"
        return page(302, html, fields: [Field("Location", url)])
    }

    /// 429 as Rack::Attack words it by default.
    static func throttled(retryAfterSeconds: Int?) -> Response {
        var response = Response.text(429, "Retry later")
        response.fields = [Field("Content-Type", "text/plain")]
        if let seconds = retryAfterSeconds {
            response.fields.append(Field("Retry-After", String(seconds)))
        }
        return response
    }
}
