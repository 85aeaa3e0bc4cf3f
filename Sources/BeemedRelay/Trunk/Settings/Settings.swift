package import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All settings, each from an option, else from the environment, else from `config.json`, else the
/// default.
package struct Settings: Sendable {
    /// Beeminder's base URL. It must be exactly this: other hosts and schemes are redirected, and a
    /// redirected POST loses its parameters (Beeminder API reference, "API Base URL").
    static let beeminder = "https://www.beeminder.com/api/v1/"

    /// The data folder.
    package var data: String
    /// The address to listen on.
    package var listen = Endpoint(Address([0, 0, 0, 0]), port: 2336)
    /// Beeminder's base URL.
    package var beeminderURL = Settings.beeminder
    /// Requests per second of one token in the long run; nil means no limit.
    var requestsPerSecond: Double? = 50
    /// Simultaneous connections.
    var maxConnections = 1_024
    /// Host names that requests may use, besides addresses and `*.local`.
    var hostNames: [String] = [ProcessInfo.processInfo.hostName]
    var oauth = OAuth()
    /// Reverse proxies whose `X-Forwarded-*` is trusted.
    var trustedProxies: [Address] = []
    /// Addresses of Home Assistant's ingress, whose users are the owner.
    var ingressProxies: [Address] = []
    /// The services that take reminders.
    package var notify: [NotifyURL] = []
    /// Whether clients outside of private networks are served.
    var servesPublicAddresses = false
    /// How this relay takes part in a cluster.
    package var cluster = ClusterSettings()
    private var logging = Logging()
    /// Each setting's text and where it came from.
    package private(set) var origins: [SettingOrigin] = []
    private var remarks = Remarks()

    /// Remarks on the settings for a person, a sentence each.
    private struct Remarks {
        var warnings: [String] = []
        var startFaults: [String] = []
    }

    /// Oddities that are no mistakes, and `startFaults`.
    package var warnings: [String] { remarks.warnings + remarks.startFaults }
    /// The mistakes in `config.json`, for which a start would fail; empty if the settings were read
    /// for one.
    package var startFaults: [String] { remarks.startFaults }

    /// How this relay is registered at Beeminder.
    struct OAuth: Sendable {
        /// The client id that Beeminder assigned; nil when not registered.
        var clientID: String?
        /// The registered redirect URL, if it is not the address in the browser.
        var redirectURI: String?
    }

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - isStrict: whether a mistake in `config.json` is a failure, as for a start, or a warning,
    ///     as for commands that another program's settings must not hinder.
    ///   - standardData: the data folder if none is named; nil for the default one.
    /// - Throws: `Failure`, which lists all mistakes at once; with exit code 78 when all of them
    /// are in `config.json`, else 64.
    package init(
        _ arguments: Arguments, environment: [String: String], isStrict: Bool = true,
        standardData: String? = nil
    ) throws(Failure) {
        data = standardData ?? Settings.defaultData(environment)
        var reading = SettingsReading(arguments, environment)
        reading.resolve(.data, into: &self)
        reading.file = ConfigFile(folder: data)
        for setting in Setting.all.dropFirst() { reading.resolve(setting, into: &self) }
        origins = reading.origins
        let inFile = reading.file.mistakes + reading.fileMistakes
        remarks = Remarks(warnings: reading.warnings, startFaults: isStrict ? [] : inFile)
        let mistakes = reading.mistakes + (isStrict ? inFile : [])
        guard mistakes.isEmpty else {
            throw Failure(
                reading.mistakes.isEmpty ? .config : .usage, mistakes.joined(separator: "\n"))
        }
    }

    /// The level and the format of the log.
    private struct Logging: Sendable {
        var level = Log.Level.info
        var format = Log.Format.text
    }

    /// The least level that is logged.
    package var logLevel: Log.Level {
        get { logging.level }
        set { logging.level = newValue }
    }

    /// How lines of the log are written.
    package var logFormat: Log.Format {
        get { logging.format }
        set { logging.format = newValue }
    }

    /// Records a value that a command has chosen itself.
    package mutating func choose(_ setting: Setting, _ value: String) {
        guard let index = origins.firstIndex(where: { $0.name == setting.name }) else { return }
        origins[index].value = value
    }

    /// Goes back to the defaults of what reaches the user's own accounts elsewhere, unless it was
    /// given as an option: the services of reminders, and the registration at Beeminder.
    package mutating func keepOwnAccountsOut() {
        let isGiven = { [origins] (setting: Setting) in
            origins.contains { $0.name == setting.name && $0.from == .option }
        }
        if !isGiven(.notify) { notify = [] }
        if !isGiven(.oauthClientID) { oauth.clientID = nil }
        if !isGiven(.oauthRedirectURI) { oauth.redirectURI = nil }
        for setting in [Setting.notify, .oauthClientID, .oauthRedirectURI]
        where !isGiven(setting) {
            guard let index = origins.firstIndex(where: { $0.name == setting.name }) else {
                continue
            }
            origins[index] = SettingOrigin(
                name: setting.name, value: setting.standard, from: .default)
        }
    }

    /// Takes over what may change while a relay runs, with where it came from.
    mutating func updateLive(from new: Settings) {
        let old = self
        self = new
        (data, listen, beeminderURL) = (old.data, old.listen, old.beeminderURL)
        maxConnections = old.maxConnections
        cluster = old.cluster
        origins = zip(old.origins, new.origins).map { old, new in
            Setting.all.first { $0.name == new.name }?.changesLive == true ? new : old
        }
    }

    /// The root URL of Beeminder's own pages.
    package var beeminderOrigin: String {
        guard var parts = URLComponents(string: beeminderURL) else { return beeminderURL }
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        return parts.string ?? beeminderURL
    }

    /// Descriptors that are reserved for other uses than clients.
    private static let spareDescriptors = 32

    /// The user's home folder where the environment names none.
    package static var home: String { FileManager.default.homeDirectoryForCurrentUser.path }

    /// The default data folder: the system's location for application data.
    static func defaultData(_ environment: [String: String]) -> String {
        let home = environment["HOME"] ?? Settings.home
        #if canImport(Darwin)
            return "\(home)/Library/Application Support/BeemedRelay"
        #else
            let share = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            return "\(share ?? "\(home)/.local/share")/beemed-relay"
        #endif
    }

    /// The default data folder, as help shows it.
    static let dataShown: String = {
        #if canImport(Darwin)
            return "~/Library/Application Support/BeemedRelay"
        #else
            return "~/.local/share/beemed-relay"
        #endif
    }()

    /// The server's limits.
    ///
    /// - Parameters:
    ///   - descriptors: the process's limit. Some are reserved for the journal and for calls to
    ///     Beeminder, regardless of the number of clients.
    ///   - timeouts: how long the server waits for its clients.
    package func limits(descriptors: Int, timeouts: Timeouts = Timeouts()) -> Limits {
        var limits = Limits()
        limits.timeouts = timeouts
        limits.connections = max(1, min(maxConnections, descriptors - Settings.spareDescriptors))
        limits.connectionsPerAddress = limits.connections
        return limits
    }
}

/// A setting's text, and where it came from.
package struct SettingOrigin: Codable, Sendable, Equatable {
    /// The sources of a setting, the first of which wins.
    package enum Source: String, Codable, Sendable {
        case option, environment, config, `default`
    }

    /// The option's name.
    package var name: String
    /// The value as text.
    package var value: String
    /// The source of the setting.
    package var from: Source
}

/// The reading of all settings, one after the other.
private struct SettingsReading {
    private let arguments: Arguments
    private let environment: [String: String]
    var file = ConfigFile()
    /// Each setting's value, and where it was set.
    package private(set) var origins: [SettingOrigin] = []
    private(set) var mistakes: [String] = []
    private(set) var fileMistakes: [String] = []

    init(_ arguments: Arguments, _ environment: [String: String]) {
        self.arguments = arguments
        self.environment = environment
    }

    /// Variables that look like settings and are none. They are no mistake: whoever runs many
    /// containers has variables of that kind which nobody chose.
    var warnings: [String] {
        let known = Setting.all.map(\.variable)
        return environment.keys.sorted()
            .filter { $0.hasPrefix("BEEMED_") && !known.contains($0) }
            .compactMap { name in
                Nearest.word(to: name, in: known).map {
                    "the environment's \(name) is no setting; did you mean '\($0)'?"
                }
            }
    }

    mutating func resolve(_ setting: Setting, into settings: inout Settings) {
        if let text = arguments[setting.name] ?? (arguments.has(setting.name) ? "true" : nil) {
            apply(text, setting, .option, "--\(setting.name)", &settings)
        } else if let text = environment[setting.variable], !text.isEmpty {
            apply(text, setting, .environment, setting.variable, &settings)
        } else if let key = setting.key, let text = file.texts[key] {
            apply(text, setting, .config, "\(ConfigFile.name): \(key)", &settings)
        } else {
            let standard = setting.key == nil ? settings.data : setting.standard
            origins.append(SettingOrigin(name: setting.name, value: standard, from: .default))
        }
    }

    private mutating func apply(
        _ text: String, _ setting: Setting, _ source: SettingOrigin.Source, _ name: String,
        _ settings: inout Settings
    ) {
        let fault = setting.set(text, &settings)
        let shown = setting.shown?(settings) ?? text
        origins.append(SettingOrigin(name: setting.name, value: shown, from: source))
        guard let fault else { return }
        let mistake = setting.shown == nil ? "\(name) '\(text)' \(fault)" : "\(name) \(fault)"
        if source == .config { fileMistakes.append(mistake) } else { mistakes.append(mistake) }
    }
}
