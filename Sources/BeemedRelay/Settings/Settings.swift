import Foundation
import RelayHTTP

/// Everything that can be set: by an option, else by the environment, else by default.
struct Settings: Sendable {
    /// Where Beeminder is. Exactly this: another host or scheme is redirected, and a redirected
    /// POST loses its parameters (Beeminder API reference, "API Base URL").
    static let beeminder = "https://www.beeminder.com/api/v1/"

    /// The data folder.
    var data: String
    /// Where to listen.
    var listen: Endpoint
    /// Where Beeminder is.
    var beeminderURL = Settings.beeminder
    /// Requests a second that a token has in the long run; nil is no limit.
    var requestsPerSecond: Double? = 50
    /// Connections at once.
    var maxConnections = 1_024
    /// Names that requests may call this machine by, besides addresses and `*.local`.
    var hostNames: [String] = [ProcessInfo.processInfo.hostName]
    /// The client id that Beeminder gave for this relay; nil when it was never registered.
    var oauthClientID: String?
    /// The redirect URL that was registered, where it is not the address in the browser.
    var oauthRedirectURI: String?
    /// Reverse proxies whose `X-Forwarded-*` is believed.
    var trustedProxies: [Address] = []
    /// Whether addresses outside of private networks are served.
    var servesPublicAddresses = false

    /// The options that `init(_:environment:)` reads and that take a value.
    static let options: Set<String> = [
        "data", "listen", "beeminder-url", "rate-limit", "max-connections", "host-name",
        "oauth-client-id", "oauth-redirect-uri",
        "trusted-proxy",
    ]
    /// The others.
    static let flags: Set<String> = ["serve-public-addresses", "help"]

    /// Reads the settings.
    ///
    /// - Throws: `Failure`, which names all mistakes at once.
    init(_ arguments: Arguments, environment: [String: String]) throws(Failure) {
        var mistakes: [String] = []
        func text(_ option: String, _ variable: String) -> String? {
            arguments[option] ?? environment[variable].flatMap { $0.isEmpty ? nil : $0 }
        }
        data = text("data", "BEEMED_DATA") ?? Settings.defaultData(environment)
        listen = Endpoint(Address([0, 0, 0, 0]), port: 2336)
        if let given = text("listen", "BEEMED_LISTEN") {
            if let endpoint = Endpoint(given) {
                listen = endpoint
            } else {
                mistakes.append("--listen '\(given)' is not HOST:PORT, as in 127.0.0.1:2336")
            }
        }
        beeminderURL = text("beeminder-url", "BEEMED_BEEMINDER_URL") ?? beeminderURL
        if let given = text("rate-limit", "BEEMED_RATE_LIMIT") {
            let rate = Double(given)
            if given != "off", !(rate.map { $0 > 0 && $0 < 1e9 } ?? false) {
                mistakes.append("--rate-limit '\(given)' is neither 'off' nor requests a second")
            }
            requestsPerSecond = rate
        }
        if let given = text("max-connections", "BEEMED_MAX_CONNECTIONS") {
            if let count = Int(given), (1...1_000_000).contains(count) {
                maxConnections = count
            } else {
                mistakes.append("--max-connections '\(given)' is not a number from 1 up")
            }
        }
        if let names = text("host-name", "BEEMED_HOST_NAME") {
            hostNames += names.split(separator: ",").map(String.init)
        }
        oauthClientID = text("oauth-client-id", "BEEMED_OAUTH_CLIENT_ID")
        oauthRedirectURI = text("oauth-redirect-uri", "BEEMED_OAUTH_REDIRECT_URI")
        for name in (text("trusted-proxy", "BEEMED_TRUSTED_PROXY") ?? "").split(separator: ",") {
            if let address = Address(String(name)) {
                trustedProxies.append(address)
            } else {
                mistakes.append("--trusted-proxy '\(name)' is no address, as in 192.168.1.2")
            }
        }
        servesPublicAddresses = arguments.has("serve-public-addresses")
        guard mistakes.isEmpty else {
            throw Failure(.usage, mistakes.joined(separator: "\n"))
        }
    }

    /// Where Beeminder's own pages are: the root of its URL.
    var beeminderOrigin: String {
        guard var parts = URLComponents(string: beeminderURL) else { return beeminderURL }
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        return parts.string ?? beeminderURL
    }

    /// Descriptors that are not for clients.
    private static let spareDescriptors = 32

    /// Where data lies when nobody says: where the system keeps such things.
    private static func defaultData(_ environment: [String: String]) -> String {
        let home = environment["HOME"] ?? NSHomeDirectory()
        #if canImport(Darwin)
            return "\(home)/Library/Application Support/BeemedRelay"
        #else
            let share = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            return "\(share ?? "\(home)/.local/share")/beemed-relay"
        #endif
    }

    /// The server's limits.
    ///
    /// - Parameter descriptors: how many this process may hold. Some of them stay free for the
    ///   journal and for Beeminder, whatever a crowd of clients does.
    func limits(descriptors: Int) -> Limits {
        var limits = Limits()
        limits.connections = max(1, min(maxConnections, descriptors - Settings.spareDescriptors))
        limits.connectionsPerAddress = limits.connections
        return limits
    }
}
