import RelayHTTP

/// Cross-site request checks. A browser sends its cookie, and a password that it remembers, for any
/// page; so requests that change something must come from the relay's own pages.
enum OriginCheck {
    /// Whether a request changes nothing, so that any origin is allowed. Only the relay's own pages
    /// can read the response, since no CORS field is ever sent.
    static func isRead(_ request: Request, _ context: RequestContext) -> Bool {
        switch request.method {
        case .get: !context.changesByGet
        case .head, .options: true
        default: false
        }
    }

    /// Whether the request certainly comes from the relay's own page. Browsers send
    /// `Sec-Fetch-Site`, and where they omit it, as for an address without TLS, `Origin`.
    ///
    /// - Parameter host: the host name in the request.
    static func isOwn(_ request: Request, host: String?) -> Bool {
        if request.fields.bytes(of: .secFetchSite) != nil {
            return request.fields.isWord(.sameOrigin, of: .secFetchSite)
        }
        return isSame(request.fields.bytes(of: .origin), host)
    }

    /// Whether another site's page may have caused this request, with a remembered password, so
    /// that it would change something. A browser fetches an image without `Origin` and, without
    /// TLS, without `Sec-Fetch-Site`; so a browser's fetch must certainly come from the relay's
    /// page or from the user's own input.
    static func mayBeForged(_ request: Request, _ context: RequestContext) -> Bool {
        guard !isRead(request, context) else { return false }
        let host = context.host
        guard request.method == .get, Browser.isLikely(request) else {
            return isForeign(request, host: host)
        }
        return !request.fields.isWord(.none, of: .secFetchSite) && !isOwn(request, host: host)
    }

    /// Whether the request certainly comes from another site's page.
    static func isForeign(_ request: Request, host: String?) -> Bool {
        if request.fields.bytes(of: .secFetchSite) != nil {
            return !request.fields.isWord(.sameOrigin, of: .secFetchSite)
                && !request.fields.isWord(.none, of: .secFetchSite)
        }
        let origin = request.fields.bytes(of: .origin)
        return origin != nil && !isSame(origin, host)
    }

    /// Whether this origin (RFC 6454 section 6.2) has this host and port.
    private static func isSame(_ origin: ArraySlice<UInt8>?, _ host: String?) -> Bool {
        guard let origin, let host, origin.count <= maxBytes, host.utf8.count <= maxBytes else {
            return false
        }
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
        where origin.starts(with: scheme.utf8) {
            let named = origin.dropFirst(scheme.utf8.count)
            return bare(named, port) == bare(Array(host.utf8)[...], port)
        }
        return false
    }

    /// The longest origin, in bytes: a name has 253 at most.
    private static let maxBytes = 300

    private static func bare(_ authority: ArraySlice<UInt8>, _ port: String) -> [UInt8] {
        let hasPort = authority.suffix(port.utf8.count).elementsEqual(port.utf8)
        return (hasPort ? authority.dropLast(port.utf8.count) : authority).map(ASCII.lowercased)
    }
}

/// Detection of browsers and image loaders.
enum Browser {
    /// Text browsers: they send a password only after a challenge, and their users can easily
    /// answer one.
    private static let ofTerminals = ["Lynx/", "w3m/", "Links ", "ELinks/"].map { Array($0.utf8) }
    private static let withWindows = ["Mozilla/", "Opera/"].map { Array($0.utf8) }

    /// Whether this request is likely from a browser. All of them name Mozilla in `User-Agent`, and
    /// send fetch metadata on secure connections.
    static func isLikely(_ request: Request) -> Bool {
        let agent = request.fields.bytes(of: .userAgent) ?? []
        if ofTerminals.contains(where: { agent.starts(with: $0) }) { return false }
        return withWindows.contains { agent.starts(with: $0) }
            || [FieldName.secFetchSite, .secFetchMode, .secFetchDest]
                .contains { request.fields.bytes(of: $0) != nil }
            || request.acceptsPage
    }
}

extension FieldName {
    static let accept: FieldName = "accept"
    static let cookie: FieldName = "cookie"
    static let empty: FieldName = "empty"
    static let none: FieldName = "none"
    static let origin: FieldName = "origin"
    static let sameOrigin: FieldName = "same-origin"
    static let secFetchDest: FieldName = "sec-fetch-dest"
    static let secFetchMode: FieldName = "sec-fetch-mode"
    static let secFetchSite: FieldName = "sec-fetch-site"
}
