import Foundation
import RelayHTTP

/// A setting. Parsing, help, the reference's table and `status --settings` are made from these.
package struct Setting: Sendable {
    /// Sets the value from a text, and returns the mistake in it.
    typealias Setter = @Sendable (String, inout Settings) -> String?

    /// The option, as in `--listen HOST:PORT`; its help is the setting's meaning.
    package let option: CommandOption
    /// The default, as it is shown.
    package let standard: String
    /// Whether a running relay takes a new value when it rereads its settings (SIGHUP).
    let changesLive: Bool
    /// Its value without what must stay secret; nil for a value that may be shown as it is.
    let shown: (@Sendable (Settings) -> String)?
    let set: Setter

    private init(
        _ name: String, _ value: String?, repeats: Bool = false, _ help: String,
        standard: String = "none", changesLive: Bool = false,
        shown: (@Sendable (Settings) -> String)? = nil, set: @escaping Setter
    ) {
        option = CommandOption("--\(name)\(value.map { " \($0)" } ?? "")", repeats: repeats, help)
        (self.standard, self.changesLive) = (standard, changesLive)
        (self.shown, self.set) = (shown, set)
    }

    /// The option's name.
    package var name: String { option.name }

    /// The environment variable, as in `BEEMED_HOST_NAME`.
    package var variable: String {
        "BEEMED_" + name.uppercased().replacing("-", with: "_")
    }

    /// The member of `config.json`, as in `hostName`; nil for the data folder, which has that file.
    var key: String? { name == "data" ? nil : option.member }

    /// Sets a member to what a text says, if it says something.
    private static func to<Value>(
        _ member: any WritableKeyPath<Settings, Value> & Sendable, or mistake: String = "",
        _ read: @escaping @Sendable (String) -> Value?
    ) -> Setter {
        { text, settings in
            guard let value = read(text) else { return mistake }
            settings[keyPath: member] = value
            return nil
        }
    }
}

extension Setting {
    /// Every setting, in the order in which they are shown.
    package static let all: [Setting] = [
        data, listen, beeminderURL, rateLimit, maxConnections, hostName, trustedProxy,
        ingressProxy, servePublicAddresses, notify, oauthClientID, oauthRedirectURI, logLevel,
        logFormat, store, storePasswordFile, lease, advertise,
    ]

    /// The data folder.
    package static let data = Setting(
        "data", "DIR", "the data folder", standard: Settings.dataShown
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
        "listen", "HOST:PORT", "the address to listen on", standard: "0.0.0.0:2336",
        set: to(\.listen, or: "is not HOST:PORT, as in 127.0.0.1:2336") { Endpoint($0) })

    /// The base of Beeminder's API.
    package static let beeminderURL = Setting(
        "beeminder-url", "URL", "where Beeminder is", standard: Settings.beeminder
    ) { text, settings in
        settings.beeminderURL = text
        // As `BeeminderClient` needs it, which adds the path of each request.
        guard let parts = URLComponents(string: text),
            ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false,
            parts.query == nil, parts.fragment == nil
        else { return "is not a valid URL, as in \(Settings.beeminder)" }
        return nil
    }

    static let rateLimit = Setting(
        "rate-limit", "off|N", "requests a second for each token", standard: "50",
        changesLive: true,
        set: to(
            \.requestsPerSecond, or: "is neither 'off' nor requests a second, from 0.001 up"
        ) { text in
            // Slower than that nobody would wait for the next request.
            guard let rate = Double(text), rate >= 0.001, rate < 1e9 else {
                return text == "off" ? .some(nil) : nil
            }
            return rate
        })

    static let maxConnections = Setting(
        "max-connections", "N", "connections at the same time", standard: "1024",
        set: to(\.maxConnections, or: "is not a number from 1 up") { number($0, 1...1_000_000) })

    static let hostName = Setting(
        "host-name", "A,B",
        "further names of this machine; addresses and *.local are always served",
        changesLive: true
    ) { text, settings in
        let names = text.split(separator: ",").map(String.init)
        // A name that cannot be in a `Host` field would never match, and nobody would know why.
        if let wrong = names.first(where: { $0.contains { "/: ".contains($0) } }) {
            return
                "has '\(wrong)', which is not a host name; write it without http://, port and path"
        }
        settings.hostNames += names
        return nil
    }

    static let trustedProxy = Setting(
        "trusted-proxy", "A,B",
        "reverse proxies whose X-Forwarded-For, -Host, -Proto and -Prefix are believed",
        changesLive: true, set: to(\.trustedProxies, or: noAddress, addresses))

    static let ingressProxy = Setting(
        "ingress-proxy", "A,B", "addresses of Home Assistant's ingress: its users are the owner",
        changesLive: true, set: to(\.ingressProxies, or: noAddress, addresses))

    static let servePublicAddresses = Setting(
        "serve-public-addresses", nil, "serve clients outside of private networks too",
        standard: "false", changesLive: true,
        set: to(\.servesPublicAddresses, or: "is neither 'true' nor 'false'") { text in
            switch text.lowercased() {
            case "true", "1", "yes", "on": true
            case "false", "0", "no", "off": false
            default: nil
            }
        })

    static let notify = Setting(
        "notify", "URL", repeats: true,
        "send reminders there, as in ntfy://TOPIC; may be given several times",
        changesLive: true, shown: { $0.notify.map(\.shown).joined(separator: "; ") }
    ) { text, settings in
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            guard let url = NotifyURL(String(word)) else { return NotifyURL.advice }
            settings.notify.append(url)
        }
        return nil
    }

    static let oauthClientID = Setting(
        "oauth-client-id", "ID", "/oauth/start says how to get one", changesLive: true,
        set: to(\.oauthClientID) { $0 })

    static let oauthRedirectURI = Setting(
        "oauth-redirect-uri", "URL",
        "as registered there, when it is not the address in the browser", changesLive: true
    ) { text, settings in
        // As RFC 6749 section 3.1.2 wants it: with any other one a sign-in fails only at its end.
        guard let parts = URLComponents(string: text, encodingInvalidCharacters: false),
            ["http", "https"].contains(parts.scheme?.lowercased()),
            parts.host?.isEmpty == false, parts.fragment == nil
        else {
            return "is not a valid address to come back to; write http:// or https://, a host and "
                + "/oauth/callback, without '#', as in https://relay.example/oauth/callback"
        }
        settings.oauthRedirectURI = text
        return nil
    }

    static let logLevel = Setting(
        "log-level", "LEVEL", "debug, info, warning or error; at info each press is a line",
        standard: "info", changesLive: true,
        set: to(
            \.logLevel, or: "is not a valid level; use debug, info, warning or error"
        ) { text in
            Log.Level.allCases.first { "\($0)" == text.lowercased() }
        })

    static let logFormat = Setting(
        "log-format", "FORMAT", "text or json", standard: "text", changesLive: true,
        set: to(\.logFormat, or: "is not a valid format; use text or json") {
            Log.Format(rawValue: $0.lowercased())
        })

    /// Where the cluster's journal is.
    package static let store = Setting(
        "store", "URL",
        "where the journal of a cluster is, as in etcd://pi-1:2379,pi-2:2379,nas:2379/home",
        // A mistake may be a password, which no log must show.
        shown: { $0.cluster.store?.text ?? "none" }
    ) { text, settings in
        settings.cluster.store = StoreLocation(text)
        return settings.cluster.store == nil ? StoreLocation.mistake : nil
    }

    /// The file with etcd's password.
    package static let storePasswordFile = Setting(
        "store-password-file", "FILE", "the password of the user that --store names",
        set: to(\.cluster.passwordFile) { $0 })

    static let lease = Setting(
        "lease", "SECONDS", "how long another relay waits before it leads, 2 to 60",
        standard: "5",
        set: to(\.cluster.leaseSeconds, or: "is not a number from 2 to 60") { number($0, 2...60) })

    static let advertise = Setting(
        "advertise", "HOST:PORT", "where the other relays of a cluster reach this one",
        standard: "the address it listens on",
        set: to(\.cluster.advertised, or: "is not HOST:PORT, as in 192.168.1.2:2336") {
            Endpoint($0).map(Optional.some)
        })

    private static let noAddress = "is not a valid address, as in 192.168.1.2"

    private static func addresses(_ text: String) -> [Address]? {
        let names = text.split(separator: ",")
        let addresses = names.compactMap { Address(String($0)) }
        return addresses.count == names.count ? addresses : nil
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
