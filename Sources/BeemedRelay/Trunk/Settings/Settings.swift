import Foundation
package import RelayHTTP

/// All settings: from an option, else the environment, else `config.json`, else the default.
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
    var maxConnections = 1_024
    /// The names that requests may use, besides addresses and `*.local`: first this machine's own.
    package var hostNames: [String] = [ProcessInfo.processInfo.hostName]
    /// The client id that Beeminder assigned to this relay; nil when not registered.
    var oauthClientID: String?
    /// The redirect URL that is registered there, if it is not the address in the browser.
    var oauthRedirectURI: String?
    /// Reverse proxies whose `X-Forwarded-*` is trusted.
    var trustedProxies: [Address] = []
    /// Addresses of Home Assistant's ingress, whose users are the owner.
    var ingressProxies: [Address] = []
    /// The services that take reminders.
    package var notify: [NotifyURL] = []
    var servesPublicAddresses = false
    /// How this relay takes part in a cluster.
    package var cluster = ClusterSettings()
    /// The least level that is logged.
    package var logLevel = Log.Level.info
    /// How lines of the log are written.
    package var logFormat = Log.Format.text
    /// Each setting's text and where it came from.
    package private(set) var origins: [SettingOrigin] = []
    /// Oddities that are no mistakes, and `startFaults`, a sentence each.
    package private(set) var warnings: [String]
    /// The mistakes in `config.json` for which a start would fail; empty for a start.
    package private(set) var startFaults: [String] = []

    /// Reads the settings. A mistake in `config.json` is a failure for a start, and a warning for
    /// commands that another program's settings must not hinder. All mistakes are told at once; the
    /// exit code is 78 when all of them are in `config.json`, else 64.
    package init(
        _ arguments: Arguments, environment: [String: String], isStrict: Bool = true,
        standardData: String? = nil
    ) throws(Failure) {
        data = standardData ?? Settings.defaultData(environment)
        warnings = Settings.warnings(environment)
        var file = ConfigFile()
        var mistakes: [String] = []
        for setting in Setting.all {
            let given = setting.given(arguments, environment, file)
            let mistake = take(given, as: setting)
            if let mistake, given?.source != .config { mistakes.append(mistake) }
            if let mistake, given?.source == .config { file.mistakes.append(mistake) }
            if setting.key == nil { file = ConfigFile(folder: data) }
        }
        if !isStrict { startFaults = file.mistakes }
        warnings += startFaults
        let all = mistakes + (isStrict ? file.mistakes : [])
        guard all.isEmpty else {
            throw Failure(mistakes.isEmpty ? .config : .usage, all.joined(separator: "\n"))
        }
    }

    /// Takes a text as a setting, or its default, and returns the mistake in the text.
    private mutating func take(_ given: Setting.Given?, as setting: Setting) -> String? {
        guard let given else {
            let standard = setting.key == nil ? data : setting.standard
            origins.append(SettingOrigin(name: setting.name, value: standard, from: .default))
            return nil
        }
        let fault = setting.set(given.text, &self)
        let shown = setting.shown?(self) ?? given.text
        origins.append(SettingOrigin(name: setting.name, value: shown, from: given.source))
        return fault.map {
            setting.shown == nil ? "\(given.name) '\(given.text)' \($0)" : "\(given.name) \($0)"
        }
    }

    /// Variables that look like settings and are none. They are no mistake: whoever runs many
    /// containers has variables of that kind which nobody chose.
    private static func warnings(_ environment: [String: String]) -> [String] {
        let known = Setting.all.map(\.variable)
        return environment.keys.sorted()
            .filter { $0.hasPrefix("BEEMED_") && !known.contains($0) }
            .compactMap { name in
                Nearest.word(to: name, in: known).map {
                    "the environment's \(name) is not a setting; did you mean '\($0)'?"
                }
            }
    }

    /// Records a value that a command has chosen itself.
    package mutating func choose(_ setting: Setting, _ value: String) {
        guard let index = origins.firstIndex(where: { $0.name == setting.name }) else { return }
        origins[index].value = value
    }

    /// Goes back to the defaults of what reaches the user's own accounts elsewhere, unless it was
    /// given as an option: the services of reminders, and the registration at Beeminder.
    package mutating func keepOwnAccountsOut() {
        for (index, origin) in origins.enumerated() where origin.from != .option {
            switch origin.name {
            case Setting.notify.name: notify = []
            case Setting.oauthClientID.name: oauthClientID = nil
            case Setting.oauthRedirectURI.name: oauthRedirectURI = nil
            default: continue
            }
            origins[index] = SettingOrigin(name: origin.name, value: "none", from: .default)
        }
    }

    /// Takes over what may change while a relay runs; returns what has changed, and what stays.
    mutating func updateLive(from new: Settings) -> (changed: [String], kept: [String]) {
        let old = self
        let different = zip(Setting.all, zip(old.origins, new.origins))
            .filter { $1.0.value != $1.1.value }.map(\.0)
        self = new
        (data, listen, beeminderURL) = (old.data, old.listen, old.beeminderURL)
        maxConnections = old.maxConnections
        cluster = old.cluster
        origins = zip(Setting.all, zip(old.origins, new.origins)).map { setting, origins in
            setting.changesLive ? origins.1 : origins.0
        }
        return (
            different.filter(\.changesLive).map(\.name),
            different.filter { !$0.changesLive }.map(\.name)
        )
    }

    /// The root URL of Beeminder's own pages.
    package var beeminderOrigin: String {
        guard var parts = URLComponents(string: beeminderURL) else { return beeminderURL }
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        return parts.string ?? beeminderURL
    }

    private static let spareDescriptors = 32

    /// The user's home folder where the environment names none.
    package static var home: String { FileManager.default.homeDirectoryForCurrentUser.path }

    /// The default data folder: the system's location for application data.
    static func defaultData(_ environment: [String: String]) -> String {
        let home = environment["HOME"] ?? Settings.home
        #if !os(Linux)
            return "\(home)/Library/Application Support/BeemedRelay"
        #else
            let share = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            return "\(share ?? "\(home)/.local/share")/beemed-relay"
        #endif
    }

    static let dataShown = defaultData(["HOME": "~"])

    /// The server's limits. Some of the process's descriptors are for the journal and for calls to
    /// Beeminder, regardless of the number of clients.
    package func limits(descriptors: Int, timeouts: Timeouts = Timeouts()) -> Limits {
        var limits = Limits()
        limits.timeouts = timeouts
        limits.connections = max(1, min(maxConnections, descriptors - Settings.spareDescriptors))
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

extension Setting {
    fileprivate typealias Given = (text: String, source: SettingOrigin.Source, name: String)

    /// The text that was given: by an option, else in the environment, else in the file.
    fileprivate func given(
        _ arguments: Arguments, _ environment: [String: String], _ file: ConfigFile
    ) -> Given? {
        if let text = arguments[name] { return (text, .option, "--\(name)") }
        if let text = environment[variable], !text.isEmpty {
            return (text, .environment, variable)
        }
        guard let key, let text = file.texts[key] else { return nil }
        return (text, .config, "\(ConfigFile.name): \(key)")
    }
}
