import RelayHTTP

/// Which site a browser sent a request from. A browser shows its cookie, and a password that it
/// remembers, on behalf of any page; so what changes something must come from a page of ours.
enum OriginCheck {
    /// Does this request change nothing, so that it may come from anywhere? What it shows, only a
    /// page of ours can read, since no CORS field is ever sent.
    static func isRead(_ request: Request) -> Bool {
        switch request.method {
        case .get: Resource(path: request.target.path)?.changesByGet != true
        case .head, .options: true
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

    /// May a page of somebody else have made a browser send this, with a password that it
    /// remembers, so that something changes? A picture on a page is fetched without `Origin`, and
    /// from an address without TLS without `Sec-Fetch-Site` too; so what a browser fetches must be
    /// from a page of ours, or typed by a person, for sure.
    static func mayBeForged(_ request: Request, host: String?) -> Bool {
        guard !isRead(request) else { return false }
        guard request.method == .get, Browser.isLikely(request) else {
            return isForeign(request, host: host)
        }
        return request.fields[.secFetchSite] != "none" && !isOwn(request, host: host)
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

/// Programs that show pages to people, and pictures that are in them.
enum Browser {
    /// Those that show text in a terminal: they send a password only when it is asked for, and to
    /// be asked is no trouble there.
    private static let ofTerminals = ["Lynx/", "w3m/", "Links ", "ELinks/"]

    /// Is this request from one? All of them call themselves Mozilla, and say on secure
    /// connections where a request comes from.
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
