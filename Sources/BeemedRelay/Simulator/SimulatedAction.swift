package import RelayHTTP

/// The action for one call.
struct SimulatedAction: Sendable {
    /// How the answer ends.
    enum Ending: Equatable, Sendable {
        case whole
        /// After this many bytes of the body.
        case cutShort(bytes: Int)
        /// Before its first byte.
        case hangUp
    }

    var response: Response
    var ending = Ending.whole
    /// Delay of the answer.
    var delaySeconds = 0.0
    /// The accepted datapoints, for observers.
    var posted: [PostedDatapoint] = []
    /// Beeminder's notifications to the user's apps.
    var callbacks: [SimulatedCallback] = []

    /// A complete answer without delay.
    init(_ response: Response) {
        self.response = response
    }
}

/// A POST from Beeminder to an app's server.
package struct SimulatedCallback: Equatable, Sendable {
    let url: String
    /// Its body, form-encoded.
    let form: String
}

extension Response {
    /// The bytes that are sent if the connection breaks behind so many bytes of the content.
    package func cut(behind bytes: Int) -> [UInt8] {
        let head = "HTTP/1.1 \(status) Broken\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body.prefix(bytes)
    }

    /// JSON with the content type of the live service.
    static func beeminder(_ status: Int, _ json: OrderedJSON) -> Response {
        Response(
            status: status,
            fields: [
                Field("Content-Type", "application/json; charset=utf-8"),
                Field("Access-Control-Allow-Origin", "*"),
            ],
            body: json.bytes)
    }

    /// The answer to a CORS preflight: every method and all requested fields.
    ///
    /// Beeminder sends `Access-Control-Allow-Origin` (its change log, 2019); this preflight answer
    /// is inferred from clients that run in browsers.
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

    /// An HTML page.
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

    /// A redirect in the form of Rails.
    static func redirect(to url: String) -> Response {
        let link = "<a href=\"\(HTMLText.escaped(url))\">redirected</a>"
        let html = "<html><body>You are being \(link).</body></html>"
        return page(302, html, fields: [Field("Location", url)])
    }

    /// 429 in the default form of Rack::Attack.
    static func throttled(retryAfterSeconds: Int?) -> Response {
        var response = Response.text(429, "Retry later")
        response.fields = [Field("Content-Type", "text/plain")]
        if let seconds = retryAfterSeconds {
            response.fields.append(Field("Retry-After", String(seconds)))
        }
        return response
    }
}
