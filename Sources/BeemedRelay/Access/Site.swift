import RelayHTTP

/// Which site a browser sent a request from. A browser shows its cookie, and a password that it
/// remembers, on behalf of any page; so what changes something must come from a page of ours.
enum Site {
    /// Does this request change nothing, so that it may come from anywhere? What it shows, only a
    /// page of ours can read, since no CORS field is ever sent.
    static func isRead(_ request: Request) -> Bool {
        switch request.method {
        case .get, .head, .options: !request.target.path.hasSuffix("/trigger")
        default: false
        }
    }

    /// Is it from a page of ours for sure? Browsers tell by `Sec-Fetch-Site`, and where they send
    /// none, as to an address without TLS, by `Origin`.
    ///
    /// - Parameter host: what the browser calls us.
    static func isOwn(_ request: Request, host: String?) -> Bool {
        if let site = request.fields[.secFetchSite] { return site == "same-origin" }
        guard let origin = request.fields[.origin] else { return false }
        return isSame(origin, host)
    }

    /// Is it from a page of somebody else for sure?
    static func isForeign(_ request: Request, host: String?) -> Bool {
        if let site = request.fields[.secFetchSite] {
            return site != "same-origin" && site != "none"
        }
        guard let origin = request.fields[.origin] else { return false }
        return !isSame(origin, host)
    }

    /// Does this origin (RFC 6454 section 6.2) name this host and port?
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

extension FieldName {
    static let cookie: FieldName = "cookie"
    static let origin: FieldName = "origin"
    static let secFetchSite: FieldName = "sec-fetch-site"
}
