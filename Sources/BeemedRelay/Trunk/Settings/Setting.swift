import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A setting: every way to give it, its default and its meaning. Parsing, help, the reference's
/// table and `status --settings` are made from the table of these.
package struct Setting: Sendable {
    /// The option, as in `--listen HOST:PORT`; its help is the setting's meaning.
    package var option: CommandOption
    /// The environment variable.
    package var variable: String
    /// The member of `config.json`; nil for the data folder, in which that file is.
    var key: String?
    /// The default, as it is shown.
    package var standard: String
    /// Whether a running relay takes a new value when it rereads its settings (SIGHUP).
    var changesLive = false
    /// Its value without what must stay secret; nil for a value that may be shown as it is.
    var shown: (@Sendable (Settings) -> String)?
    /// Sets the value from a text.
    ///
    /// - Returns: the mistake in the text; nil when set.
    var set: @Sendable (String, inout Settings) -> String?

    /// The option's name.
    package var name: String { option.name }
}

extension Setting {
    /// Every setting, in the order in which they are shown.
    package static let all: [Setting] = [
        data, listen, beeminderURL, rateLimit, maxConnections, hostName, trustedProxy,
        ingressProxy, servePublicAddresses, notify, oauthClientID, oauthRedirectURI, logLevel,
        logFormat,
        store, storePasswordFile, lease, advertise,
    ]

    /// The data folder.
    package static let data = Setting(
        option: CommandOption("data", value: "DIR", "the data folder"),
        variable: "BEEMED_DATA", standard: Settings.dataShown
    ) { text, settings in
        settings.data = text
        if text.hasPrefix("--") {
            return "is an option and not a folder; a folder of that name is ./\(text)"
        }
        // A shell replaces it at the beginning of a word only, and systemd nowhere.
        if text.hasPrefix("~") {
            return "begins with ~, which only a shell replaces; write it out"
        }
        return text.isEmpty ? "is not a folder" : nil
    }

    /// The address of the server.
    package static let listen = Setting(
        option: CommandOption("listen", value: "HOST:PORT", "the address to listen on"),
        variable: "BEEMED_LISTEN", key: "listen", standard: "0.0.0.0:2336"
    ) { text, settings in
        guard let endpoint = Endpoint(text) else { return "is not HOST:PORT, as in 127.0.0.1:2336" }
        settings.listen = endpoint
        return nil
    }

    /// The base of Beeminder's API.
    package static let beeminderURL = Setting(
        option: CommandOption("beeminder-url", value: "URL", "where Beeminder is"),
        variable: "BEEMED_BEEMINDER_URL", key: "beeminderUrl", standard: Settings.beeminder
    ) { text, settings in
        settings.beeminderURL = text
        // As `BeeminderClient` needs it, which adds the path of each request.
        guard let parts = URLComponents(string: text),
            ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false,
            parts.query == nil, parts.fragment == nil
        else { return "is no URL, as in \(Settings.beeminder)" }
        return nil
    }

    static let rateLimit = Setting(
        option: CommandOption(
            "rate-limit", value: "off|N", "requests a second for each token"),
        variable: "BEEMED_RATE_LIMIT", key: "rateLimit", standard: "50", changesLive: true
    ) { text, settings in
        let rate = Double(text)
        // Slower than that nobody would wait for the next request.
        guard text == "off" || (rate.map { $0 >= 0.001 && $0 < 1e9 } ?? false) else {
            return "is neither 'off' nor requests a second, from 0.001 up"
        }
        settings.requestsPerSecond = rate
        return nil
    }

    static let maxConnections = Setting(
        option: CommandOption("max-connections", value: "N", "connections at the same time"),
        variable: "BEEMED_MAX_CONNECTIONS", key: "maxConnections", standard: "1024"
    ) { text, settings in
        guard let count = Int(text), (1...1_000_000).contains(count) else {
            return "is not a number from 1 up"
        }
        settings.maxConnections = count
        return nil
    }

    static let hostName = Setting(
        option: CommandOption(
            "host-name", value: "A,B",
            "further names of this machine; addresses and *.local are always served"),
        variable: "BEEMED_HOST_NAME", key: "hostName", standard: "none", changesLive: true
    ) { text, settings in
        let names = text.split(separator: ",").map(String.init)
        // A name that cannot be in a `Host` field would never match, and nobody would know why.
        if let wrong = names.first(where: { $0.contains { "/: ".contains($0) } }) {
            return "has '\(wrong)', which is no host name; write it without http://, port and path"
        }
        settings.hostNames += names
        return nil
    }

    static let trustedProxy = Setting(
        option: CommandOption(
            "trusted-proxy", value: "A,B",
            "reverse proxies whose X-Forwarded-For, -Host, -Proto and -Prefix are believed"
        ),
        variable: "BEEMED_TRUSTED_PROXY", key: "trustedProxy", standard: "none", changesLive: true
    ) { text, settings in
        add(text, to: &settings.trustedProxies)
    }

    static let ingressProxy = Setting(
        option: CommandOption(
            "ingress-proxy", value: "A,B",
            "addresses of Home Assistant's ingress: its users are the owner"),
        variable: "BEEMED_INGRESS_PROXY", key: "ingressProxy", standard: "none", changesLive: true
    ) { text, settings in
        add(text, to: &settings.ingressProxies)
    }

    /// Adds a list of addresses.
    ///
    /// - Returns: what is wrong with the text; nil when all were added.
    private static func add(_ text: String, to addresses: inout [Address]) -> String? {
        for name in text.split(separator: ",") {
            guard let address = Address(String(name)) else {
                return "is no address, as in 192.168.1.2"
            }
            addresses.append(address)
        }
        return nil
    }

    static let servePublicAddresses = Setting(
        option: CommandOption(
            "serve-public-addresses", "serve clients outside of private networks too"),
        variable: "BEEMED_SERVE_PUBLIC_ADDRESSES", key: "servePublicAddresses", standard: "false",
        changesLive: true
    ) { text, settings in
        switch text.lowercased() {
        case "true", "1", "yes", "on": settings.servesPublicAddresses = true
        case "false", "0", "no", "off": settings.servesPublicAddresses = false
        default: return "is neither 'true' nor 'false'"
        }
        return nil
    }

    static let notify = Setting(
        option: CommandOption(
            "notify", value: "URL", repeats: true,
            "send reminders there, as in ntfy://TOPIC; may be given several times"),
        variable: "BEEMED_NOTIFY", key: "notify", standard: "none", changesLive: true,
        shown: { $0.notify.map(\.shown).joined(separator: "; ") }
    ) { text, settings in
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            guard let url = NotifyURL(String(word)) else { return NotifyURL.advice }
            settings.notify.append(url)
        }
        return nil
    }

    static let oauthClientID = Setting(
        option: CommandOption("oauth-client-id", value: "ID", "/oauth/start says how to get one"),
        variable: "BEEMED_OAUTH_CLIENT_ID", key: "oauthClientId", standard: "none",
        changesLive: true
    ) { text, settings in
        settings.oauth.clientID = text
        return nil
    }

    static let oauthRedirectURI = Setting(
        option: CommandOption(
            "oauth-redirect-uri", value: "URL",
            "as registered there, when it is not the address in the browser"),
        variable: "BEEMED_OAUTH_REDIRECT_URI", key: "oauthRedirectUri", standard: "none",
        changesLive: true
    ) { text, settings in
        // As RFC 6749 section 3.1.2 wants it: with any other one a sign-in fails only at its end.
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false),
            ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false, parts.fragment == nil
        else {
            return "is no address to come back to; write http:// or https://, a host and "
                + "/oauth/callback, without '#', as in https://relay.example/oauth/callback"
        }
        settings.oauth.redirectURI = text
        return nil
    }

    static let logLevel = Setting(
        option: CommandOption(
            "log-level", value: "LEVEL",
            "debug, info, warning or error; at info each press is a line"),
        variable: "BEEMED_LOG_LEVEL", key: "logLevel", standard: "info", changesLive: true
    ) { text, settings in
        guard let level = Log.Level.allCases.first(where: { "\($0)" == text.lowercased() }) else {
            return "is no level; there are debug, info, warning and error"
        }
        settings.logLevel = level
        return nil
    }

    static let logFormat = Setting(
        option: CommandOption(
            "log-format", value: "FORMAT", "text or json"),
        variable: "BEEMED_LOG_FORMAT", key: "logFormat", standard: "text", changesLive: true
    ) { text, settings in
        guard let format = Log.Format(rawValue: text.lowercased()) else {
            return "is no format; there are text and json"
        }
        settings.logFormat = format
        return nil
    }
}

/// The settings of a cluster.
extension Setting {
    /// Where the cluster's journal is.
    package static let store = Setting(
        option: CommandOption(
            "store", value: "URL",
            "where the journal of a cluster is, as in etcd://pi-1:2379,pi-2:2379,nas:2379/home"),
        variable: "BEEMED_STORE", key: "store", standard: "none",
        // A mistake may be a password, which no log must show.
        shown: { $0.cluster.store?.text ?? "none" }
    ) { text, settings in
        settings.cluster.store = StoreLocation(text)
        return settings.cluster.store == nil ? StoreLocation.mistake(in: text) : nil
    }

    /// The file with etcd's password.
    package static let storePasswordFile = Setting(
        option: CommandOption(
            "store-password-file", value: "FILE",
            "the password of the user that --store names"),
        variable: "BEEMED_STORE_PASSWORD_FILE", key: "storePasswordFile", standard: "none"
    ) { text, settings in
        settings.cluster.passwordFile = text
        return nil
    }

    static let lease = Setting(
        option: CommandOption(
            "lease", value: "SECONDS", "how long another relay waits before it leads, 2 to 60"),
        variable: "BEEMED_LEASE", key: "lease", standard: "5"
    ) { text, settings in
        guard let seconds = Int(text), (2...60).contains(seconds) else {
            return "is not a number from 2 to 60"
        }
        settings.cluster.leaseSeconds = seconds
        return nil
    }

    static let advertise = Setting(
        option: CommandOption(
            "advertise", value: "HOST:PORT", "where the other relays of a cluster reach this one"),
        variable: "BEEMED_ADVERTISE", key: "advertise", standard: "the address it listens on"
    ) { text, settings in
        guard let endpoint = Endpoint(text) else {
            return "is not HOST:PORT, as in 192.168.1.2:2336"
        }
        settings.cluster.advertised = endpoint
        return nil
    }
}
