import Foundation
import RelayHTTP

/// All settings: from an option, else from the environment, else the default.
struct Settings: Sendable {
    /// Beeminder's base URL. It must be exactly this: other hosts and schemes are redirected, and a
    /// redirected POST loses its parameters (Beeminder API reference, "API Base URL").
    static let beeminder = "https://www.beeminder.com/api/v1/"

    var data: String
    /// The address to listen on.
    var listen: Endpoint
    /// Beeminder's base URL.
    var beeminderURL = Settings.beeminder
    /// Requests per second of one token in the long run; nil means no limit.
    var requestsPerSecond: Double? = 50
    /// Simultaneous connections.
    var maxConnections = 1_024
    /// Host names that requests may use, besides addresses and `*.local`.
    var hostNames: [String] = [ProcessInfo.processInfo.hostName]
    /// The client id that Beeminder assigned to this relay; nil when it is not registered.
    var oauthClientID: String?
    /// The registered redirect URL, if it is not the address in the browser.
    var oauthRedirectURI: String?
    /// Reverse proxies whose `X-Forwarded-*` is trusted.
    var trustedProxies: [Address] = []
    /// Whether clients outside of private networks are served.
    var servesPublicAddresses = false

    /// The options of `init(_:environment:)` that take a value.
    static let options: Set<String> = [
        "data", "listen", "beeminder-url", "rate-limit", "max-connections", "host-name",
        "oauth-client-id", "oauth-redirect-uri",
        "trusted-proxy",
    ]
    /// The options without a value.
    static let flags: Set<String> = ["serve-public-addresses", "help"]

    /// Reads the settings.
    ///
    /// - Throws: `Failure`, which lists all errors at once.
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

    /// The root URL of Beeminder's own pages.
    var beeminderOrigin: String {
        guard var parts = URLComponents(string: beeminderURL) else { return beeminderURL }
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        return parts.string ?? beeminderURL
    }

    /// Descriptors that are reserved for other uses than clients.
    private static let spareDescriptors = 32

    /// The default data folder: the system's location for application data.
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
    /// - Parameter descriptors: the process's limit. Some are reserved for the journal and for
    ///   calls to Beeminder, regardless of the number of clients.
    func limits(descriptors: Int) -> Limits {
        var limits = Limits()
        limits.connections = max(1, min(maxConnections, descriptors - Settings.spareDescriptors))
        limits.connectionsPerAddress = limits.connections
        return limits
    }
}
