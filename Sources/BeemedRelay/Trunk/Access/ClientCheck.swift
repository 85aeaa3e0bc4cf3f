import RelayHTTP

/// The clients that are served, by address and host name.
package struct ClientCheck: Sendable {
    /// Finds the client and the host name of a request, as far as they can be trusted.
    package let proxies: Proxies
    private var hosts: HostCheck
    private let servesPublic: Bool

    /// The check by these settings: proxies, host names, public access.
    package init(_ settings: Settings) {
        proxies = Proxies(trusted: settings.trustedProxies, ingress: settings.ingressProxies)
        hosts = HostCheck(names: settings.hostNames)
        servesPublic = settings.servesPublicAddresses
    }

    /// Checks the client's address and the host name. Home Assistant serves its users from anywhere
    /// and under any name; a page that has bound its own name to it does not have their session.
    package mutating func admit(_ context: RequestContext) throws(Problem) {
        if context.isIngress { return }
        guard servesPublic || context.peer.isPrivate else {
            throw .forbidden(
                "only private networks are served; to serve others, start the relay with "
                    + "--serve-public-addresses")
        }
        guard hosts.allows(context.host) else {
            throw Problem(
                .unknownHost,
                "this relay does not go by that name; use its address, or start it with "
                    + "--host-name")
        }
    }
}

/// The host names that a request may use for this machine.
///
/// A malicious page can resolve its own host name to an address in the home network; its requests
/// then carry that name in `Host`, and are refused (DNS rebinding).
package struct HostCheck: Sendable {
    private let names: Set<String>
    /// The latest host that passed the check, since it mostly recurs.
    private var last: String?

    /// The longest host, in bytes: a name of 253, and a port.
    private static let maxBytes = 260

    init(names: [String]) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Whether the host is allowed. The port is ignored: small devices omit it. An HTTP/1.0 request
    /// without a host is allowed too, since no browser sends one.
    mutating func allows(_ host: String?) -> Bool {
        guard let host else { return true }
        if host == last { return true }
        guard host.utf8.count <= HostCheck.maxBytes, isOurs(host) else { return false }
        last = host
        return true
    }

    private func isOurs(_ host: String) -> Bool {
        let name = HostCheck.name(of: host).lowercased()
        if Address(name) != nil || names.contains(name) { return true }
        // Of several hosts, as proxies forward them, the last one says nothing of the first.
        return name == "localhost"
            || name.hasSuffix(".local") && name.utf8.allSatisfy(ASCII.isUnreserved)
    }

    /// Whether a host is this machine's loopback name or address.
    package static func isThisMachine(_ host: String) -> Bool {
        let name = name(of: host).lowercased()
        return name == "localhost" || Address(name)?.isLoopback == true
    }

    /// The host as in a URL, and the port if there is one.
    package static func parts(of host: String) -> (host: Substring, port: Substring?) {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else {
            return (host[...], nil)
        }
        return (host[..<colon], host[host.index(after: colon)...])
    }

    private static func name(of host: String) -> String {
        let bytes = host.utf8
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            return String(host[bytes.index(after: bytes.startIndex)..<end])
        }
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        // The dot of a complete name, as in `relay.local.` (RFC 3986 section 3.2.2).
        return String(Substring(name.last == UInt8(ascii: ".") ? name.dropLast() : name))
    }
}

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
    static func isOwn(_ request: Request, host: String?) -> Bool {
        if request.fields.bytes(of: .secFetchSite) != nil {
            return request.fields.isWord("same-origin", of: .secFetchSite)
        }
        return isSame(request.fields.bytes(of: .origin), host)
    }

    /// Whether another site's page may have caused this request, with a remembered password, so
    /// that it would change something. A browser fetches an image without `Origin` and, without
    /// TLS, without `Sec-Fetch-Site`; so a browser's fetch must certainly come from the relay's
    /// page or from the user's own input.
    static func mayBeForged(_ request: Request, _ context: RequestContext) -> Bool {
        if isRead(request, context) || isOwn(request, host: context.host)
            || request.fields.isWord("none", of: .secFetchSite)
        {
            return false
        }
        if request.method == .get, Browser.isLikely(request) { return true }
        return request.fields.bytes(of: .secFetchSite) != nil
            || request.fields.bytes(of: .origin) != nil
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

enum Browser {
    /// Text browsers: they send a password only when asked, which their users easily answer.
    private static let ofTerminals = ["Lynx/", "w3m/", "Links ", "ELinks/"].map { Array($0.utf8) }
    private static let withWindows = ["Mozilla/", "Opera/"].map { Array($0.utf8) }

    /// Whether this request is likely from a browser. All of them name Mozilla in `User-Agent`, and
    /// send fetch metadata on secure connections.
    static func isLikely(_ request: Request) -> Bool {
        let agent = request.fields.bytes(of: .userAgent) ?? []
        if ofTerminals.contains(where: { agent.starts(with: $0) }) { return false }
        return withWindows.contains { agent.starts(with: $0) }
            || [.secFetchSite, "sec-fetch-mode", .secFetchDest]
                .contains { request.fields.bytes(of: $0) != nil }
            || request.acceptsPage
    }
}

extension Request {
    /// Texts in the `User-Agent` of programs that make link previews, in lower case. Some chats
    /// make them on the sender's own phone, inside the home network. Messages of Apple names itself
    /// as three of these.
    private static let previewAgents = [
        "facebookexternalhit", "facebot", "twitterbot", "whatsapp/", "telegrambot", "slackbot",
        "discordbot", "skypeuripreview", "linkedinbot", "googlebot", "bingbot", "mattermost-bot",
    ].map { Array($0.utf8) }

    /// Whether this is a prefetch by a browser, or a link preview. Browsers mark these with
    /// different header fields, and chats do not mark them.
    var isPrefetch: Bool {
        if fields.holds(anyOf: Request.previewAgents, in: .userAgent) { return true }
        return ["purpose", "sec-purpose", "x-purpose", "x-moz"]
            .contains { fields.holds(anyOf: Request.purposes, in: $0) }
    }

    private static let purposes = ["prefetch", "preview"].map { Array($0.utf8) }
}

extension FieldName {
    static let cookie: FieldName = "cookie"
    static let origin: FieldName = "origin"
    static let secFetchDest: FieldName = "sec-fetch-dest"
    static let secFetchSite: FieldName = "sec-fetch-site"
}
