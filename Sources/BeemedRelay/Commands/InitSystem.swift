import RelayTrunk

/// systemd or launchd, for services of the machine or for those of one user.
struct InitSystem {
    let isOfMachine: Bool
    let file: String
    /// Whether a user's service alone is meant.
    private let isOfUser: Bool

    init(_ invocation: Invocation) {
        isOfUser = invocation.arguments.has("user")
        isOfMachine = invocation.arguments.has("system") || FolderOwner.user == 0 && !isOfUser
        file = InitSystem.file(isOfMachine, invocation.environment)
    }

    private init(ofMachine file: String) {
        (isOfMachine, isOfUser, self.file) = (true, false, file)
    }

    /// The manager of the service that is there; without `--system` and `--user` one of the machine
    /// is looked for, too.
    var installed: InitSystem? {
        let others = isOfUser ? [] : [InitSystem.file(true, [:])] + packagedFiles
        let systems = [self] + others.map(InitSystem.init(ofMachine:))
        return systems.first { PrivateFile.exists($0.file) }
    }

    #if !os(Linux)
        static let tool = SystemTool(name: "launchctl")
        let packagedFiles: [String] = []
        let avahiFile: String? = nil
        var log: String { "\(isOfMachine ? "" : "~")/Library/Logs/\(DataFolderLocator.unit).log" }
        private var domain: String { isOfMachine ? "system" : "gui/\(FolderOwner.user)" }

        private static func file(_ isOfMachine: Bool, _ environment: [String: String]) -> String {
            let daemons = "/Library/LaunchDaemons"
            let folder = isOfMachine ? daemons : "\(Settings.home)/Library/LaunchAgents"
            return "\(folder)/\(Units.label).plist"
        }

        func text(of units: Units) -> String { units.launchd }

        /// Nothing need be read before the start.
        func prepare() throws(Failure) {}
        func reload() throws(Failure) {}

        func start() throws(Failure) {
            try stop()
            try InitSystem.tool.call(["bootstrap", domain, file])
        }

        /// Fails where no job runs.
        func stop() throws(Failure) {
            _ = try? InitSystem.tool.call(["bootout", "\(domain)/\(Units.label)"])
        }

        var isRunning: Bool {
            (try? InitSystem.tool.call(["print", "\(domain)/\(Units.label)"])) != nil
        }
    #else
        static let tool = SystemTool(name: "systemctl")
        /// The units of a package that are there.
        var packagedFiles: [String] {
            ["/usr/lib", "/lib"].map { "\($0)/systemd/system/\(DataFolderLocator.unit).service" }
                .filter(PrivateFile.exists)
        }
        var avahiFile: String? {
            isOfMachine ? "/etc/avahi/services/\(DataFolderLocator.unit).service" : nil
        }
        var log: String { "journalctl \(isOfMachine ? "" : "--user ")-u \(DataFolderLocator.unit)" }

        private static func file(_ isOfMachine: Bool, _ environment: [String: String]) -> String {
            guard !isOfMachine else {
                return "/etc/systemd/system/\(DataFolderLocator.unit).service"
            }
            let config = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            let home = environment["HOME"] ?? Settings.home
            return "\(config ?? "\(home)/.config")/systemd/user/\(DataFolderLocator.unit).service"
        }

        func text(of units: Units) -> String { units.systemd }

        private func call(_ arguments: String...) throws(Failure) {
            try InitSystem.tool.call((isOfMachine ? [] : ["--user"]) + arguments)
        }

        /// Has it read the unit.
        func prepare() throws(Failure) {
            try reload()
            try call("enable", DataFolderLocator.unit)
        }

        func reload() throws(Failure) { try call("daemon-reload") }
        func start() throws(Failure) { try call("restart", DataFolderLocator.unit) }
        func stop() throws(Failure) { try call("disable", "--now", DataFolderLocator.unit) }
        var isRunning: Bool { (try? call("is-active", "--quiet", DataFolderLocator.unit)) != nil }
    #endif
}
