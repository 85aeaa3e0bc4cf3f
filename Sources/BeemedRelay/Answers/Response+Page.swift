import RelayHTTP

extension Response {
    /// A small page without style or script.
    ///
    /// - Parameter referrer: whom a browser may tell of the page's address; with `no-referrer` it
    ///   does not even say which site a form comes from.
    static func page(
        _ content: String, status: Int = 200, referrer: String = "no-referrer",
        fields: [Field] = []
    ) -> Response {
        let body = """
            <!doctype html>
            <html lang="en"><meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>BeemedRelay</title>
            \(content)
            """
        let policy =
            "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        return Response(
            status: status,
            fields: [
                Field("Content-Type", "text/html; charset=utf-8"),
                Field("Content-Security-Policy", policy),
                Field("Referrer-Policy", referrer), Field("Cache-Control", "no-store"),
            ] + fields, body: Array("\(body)\n".utf8))
    }
}
