import RelayHTTP

/// Cross-site request checks. A browser sends its cookie, and a password that it remembers, for any
/// page; so requests that change something must come from the relay's own pages.
enum OriginCheck {
    /// Whether a request changes nothing, so that any origin is allowed. Only the relay's own pages
    /// can read the response, since no CORS field is ever sent.
    static func isRead(_ request: Request) -> Bool {
        switch request.method {
        case .get: Resource(path: request.target.path)?.changesByGet != true
        case .head, .options: true
        default: false
        }
    }

    /// Whether the request certainly comes from the relay's own page. Browsers send
    /// `Sec-Fetch-Site`, and where they omit it, as for an address without TLS, `Origin`.
    ///
    /// - Parameter host: the host name in the request.
    static func isOwn(_ request: Request, host: String?) -> Bool {
        if let site = request.fields[.secFetchSite] { return site == "same-origin" }
        guard let origin = request.fields[.origin] else { return false }
        return isSame(origin, host)
    }

    /// Whether another site's page may have caused this request, with a remembered password, so
    /// that it would change something. A browser fetches an image without `Origin` and, without
    /// TLS, without `Sec-Fetch-Site`; so a browser's fetch must certainly come from the relay's
    /// page or from the user's own input.
    static func mayBeForged(_ request: Request, host: String?) -> Bool {
        guard !isRead(request) else { return false }
        guard request.method == .get, Browser.isLikely(request) else {
            return isForeign(request, host: host)
        }
        return request.fields[.secFetchSite] != "none" && !isOwn(request, host: host)
    }

    /// Whether the request certainly comes from another site's page.
    static func isForeign(_ request: Request, host: String?) -> Bool {
        if let site = request.fields[.secFetchSite] {
            return site != "same-origin" && site != "none"
        }
        guard let origin = request.fields[.origin] else { return false }
        return !isSame(origin, host)
    }

    /// Whether this origin (RFC 6454 section 6.2) has this host and port.
    private static func isSame(_ origin: String, _ host: String?) -> Bool {
        guard let host else { return false }
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
        where origin.hasPrefix(scheme) {
            let named = origin.dropFirst(scheme.count)
            return bare(named[...], port) == bare(host[...], port)
        }
        return false
    }

    private static func bare(_ authority: Substring, _ port: String) -> String {
        (authority.hasSuffix(port) ? authority.dropLast(port.count) : authority).lowercased()
    }
}

/// Detection of browsers and image loaders.
enum Browser {
    /// Text browsers: they send a password only after a challenge, and their users can easily
    /// answer one.
    private static let ofTerminals = ["Lynx/", "w3m/", "Links ", "ELinks/"]

    /// Whether this request is likely from a browser. All of them name Mozilla in `User-Agent`, and
    /// send fetch metadata on secure connections.
    static func isLikely(_ request: Request) -> Bool {
        let agent = request[.userAgent] ?? ""
        if ofTerminals.contains(where: agent.hasPrefix) { return false }
        return agent.hasPrefix("Mozilla/") || agent.hasPrefix("Opera/")
            || request[.secFetchSite] != nil || request[.secFetchMode] != nil
            || request[.secFetchDest] != nil || request[.accept]?.contains("text/html") == true
    }
}

extension FieldName {
    static let accept: FieldName = "accept"
    static let cookie: FieldName = "cookie"
    static let origin: FieldName = "origin"
    static let secFetchDest: FieldName = "sec-fetch-dest"
    static let secFetchMode: FieldName = "sec-fetch-mode"
    static let secFetchSite: FieldName = "sec-fetch-site"
}
