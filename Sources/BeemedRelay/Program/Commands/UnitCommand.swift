import BeemedDomain
import RelayHTTP

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay service install|uninstall|status`: the relay as a service of systemd or launchd.
struct UnitCommand {
    private let invocation: Invocation
    private let verb: String

    /// - Parameter verb: `install`, `uninstall` or `status`.
    init(_ invocation: Invocation, _ verb: String) {
        self.invocation = invocation
        self.verb = verb
    }

    func run() throws(Failure) -> ExitCode {
        let arguments = invocation.arguments
        guard !(arguments.has("system") && arguments.has("user")) else {
            throw Failure(.usage, "--system and --user exclude each other; leave one out")
        }
        switch verb {
        case "install": return try install()
        case "uninstall": return try uninstall()
        default: return try status()
        }
    }

    private var isOfMachine: Bool {
        if invocation.arguments.has("system") { return true }
        return geteuid() == 0 && !invocation.arguments.has("user")
    }

    #if canImport(Darwin)
        private var file: String {
            let folder =
                isOfMachine ? "/Library/LaunchDaemons" : "\(Settings.home)/Library/LaunchAgents"
            return "\(folder)/\(Units.label).plist"
        }
        private var domain: String { isOfMachine ? "system" : "gui/\(geteuid())" }
        private static let tool = SystemTool(name: "launchctl")
    #else
        private var file: String {
            guard !isOfMachine else { return UnitCommand.machineFile }
            let environment = invocation.environment
            let config = environment["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            let home = environment["HOME"] ?? Settings.home
            return "\(config ?? "\(home)/.config")/systemd/user/\(Units.name).service"
        }
        /// The unit of a package, which works again when the one that hides it is gone.
        private static let packagedFiles = ["/usr/lib", "/lib"].map {
            "\($0)/systemd/system/\(Units.name).service"
        }
        private var hasPackagedUnit: Bool {
            isOfMachine
                && UnitCommand.packagedFiles.contains { FileManager.default.fileExists(atPath: $0) }
        }
        private static let machineFile = "/etc/systemd/system/\(Units.name).service"
        private static let tool = SystemTool(name: "systemctl")
    #endif

    /// Arguments of `serve` that were given here, so that the service uses them, too. The
    /// environment of this shell is not the service's; `config.json` is read by both.
    private func units() throws(Failure) -> Units {
        guard let program = UnitCommand.program else {
            throw Failure(.osError, "the program's own file is not known; call it by its full path")
        }
        var arguments: [String] = []
        if let data = given(.data) { arguments += ["--data", try folder(data)] }
        if let listen = given(.listen) { arguments += ["--listen", listen] }
        for word in [program] + arguments {
            guard !word.unicodeScalars.contains(where: Console.isControl) else {
                throw Failure(
                    .usage,
                    "'\(Console.plain(word))' has a line break or another control character, which "
                        + "the service manager would take for a line of its own; choose another "
                        + "path")
            }
        }
        return Units(program: program, arguments: arguments, isOfMachine: isOfMachine)
    }

    /// The value of a setting that was given by an option or the environment.
    private func given(_ setting: Setting) -> String? {
        invocation.settings.origins.first {
            $0.name == setting.name && [.option, .environment].contains($0.from)
        }?.value
    }

    /// A data folder by its full path: a service manager starts programs in a folder of its own.
    private func folder(_ path: String) throws(Failure) -> String {
        let path = URL(fileURLWithPath: path).path
        #if !canImport(Darwin)
            guard !isOfMachine || path == DataPlace.ofService else {
                throw Failure(
                    .usage,
                    "a service of the machine may write to \(DataPlace.ofService) only; leave "
                        + "--data and BEEMED_DATA out, or use --user")
            }
        #endif
        return path
    }

    /// The file that runs, not a link to it: a package manager's links move with its versions, so
    /// a link in a place of programs is kept.
    private static var program: String? {
        let first = CommandLine.arguments[0]
        if first.hasPrefix("/") { return first }
        if let found = SystemTool.file(of: first), !first.contains("/") { return found }
        #if canImport(Darwin)
            return Bundle.main.executablePath
        #else
            return try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #endif
    }

    private func install() throws(Failure) -> ExitCode {
        let units = try units()
        #if canImport(Darwin)
            let text = units.launchd
        #else
            let text = units.systemd
        #endif
        guard !invocation.arguments.has("print") else {
            Console.output(text)
            return .ok
        }
        try needTool()
        let former = try formerFiles()
        try write(text, file)
        do throws(Failure) {
            try prepare()
        } catch {
            // A user's service manager runs in a session only.
            let machine = "sudo beemed-relay service install"
            let next = isOfMachine ? "" : "; without a session of yours, use: \(machine)"
            throw Failure(error.code, "\(error.message); \(restore(to: former))\(next)")
        }
        do throws(Failure) {
            try start()
        } catch {
            let words = "\(error.message); \(restore(to: former)); \(logHint(isOfMachine))"
            throw Failure(error.code, words)
        }
        Console.output("installed \(file), and started it")
        if !isOfMachine {
            Console.notice(
                "it ends when you log out, unless you run: sudo loginctl enable-linger "
                    + "\(invocation.environment["USER"] ?? "$USER")")
        }
        Console.notice(
            "next: \(sudo)beemed-relay connect, then \(sudo)beemed-relay status")
        return .ok
    }

    private var sudo: String { isOfMachine ? "sudo " : "" }

    /// The files that an installation writes.
    private var files: [String] {
        #if canImport(Darwin)
            return [file]
        #else
            return isOfMachine ? [file, UnitCommand.avahiFile] : [file]
        #endif
    }

    /// What those files contain now; nil for one that is not there.
    ///
    /// - Throws: `Failure` for one that could not be put back, such as a link.
    private func formerFiles() throws(Failure) -> [(path: String, bytes: [UInt8]?)] {
        var found: [(path: String, bytes: [UInt8]?)] = []
        for path in files {
            do throws(DiskError) {
                found.append((path, try PrivateFile.read(path)))
            } catch {
                throw Failure(.ioError, "\(path) is no file to be replaced: \(error); move it away")
            }
        }
        return found
    }

    /// Puts back the files that were there before, or removes the new ones: a unit that stays would
    /// be tried again and again, and at each start of the machine.
    ///
    /// - Returns: what that means for the user.
    private func restore(to former: [(path: String, bytes: [UInt8]?)]) -> String {
        let wasInstalled = former.first?.bytes != nil
        #if canImport(Darwin)
            _ = try? UnitCommand.tool.call(["bootout", "\(domain)/\(Units.label)"])
        #else
            let isReplaced = wasInstalled || hasPackagedUnit
            if !isReplaced {
                _ = try? UnitCommand.tool.call(scope + ["disable", "--now", Units.name])
            }
        #endif
        var left: [String] = []
        for (path, bytes) in former {
            do throws(DiskError) {
                if let bytes {
                    try PrivateFile.write(bytes, to: path, mode: 0o644)
                } else if FileManager.default.fileExists(atPath: path) {
                    try PrivateFile.remove(path)
                }
            } catch { left.append(path) }
        }
        #if canImport(Darwin)
            if wasInstalled { _ = try? UnitCommand.tool.call(["bootstrap", domain, file]) }
        #else
            _ = try? UnitCommand.tool.call(scope + ["daemon-reload"])
            if isReplaced { _ = try? UnitCommand.tool.call(scope + ["restart", Units.name]) }
        #endif
        guard left.isEmpty else { return "\(left.joined(separator: ", ")) could not be put back" }
        return wasInstalled ? "\(file) is as it was before" : "nothing is installed"
    }

    /// Has the service manager read the files.
    private func prepare() throws(Failure) {
        #if !canImport(Darwin)
            try installAvahiFile()
            try UnitCommand.tool.call(scope + ["daemon-reload"])
            try UnitCommand.tool.call(scope + ["enable", Units.name])
        #endif
    }

    private func start() throws(Failure) {
        #if canImport(Darwin)
            _ = try? UnitCommand.tool.call(["bootout", "\(domain)/\(Units.label)"])
            try UnitCommand.tool.call(["bootstrap", domain, file])
        #else
            try UnitCommand.tool.call(scope + ["restart", Units.name])
        #endif
    }

    private func logHint(_ isOfMachine: Bool) -> String {
        #if canImport(Darwin)
            return "its log: \(isOfMachine ? "" : "~")/Library/Logs/\(Units.name).log"
        #else
            return "its log: journalctl \(isOfMachine ? "" : "--user ")-u \(Units.name)"
        #endif
    }

    private func uninstall() throws(Failure) -> ExitCode {
        guard FileManager.default.fileExists(atPath: file) else {
            if let found = installed() {
                throw Failure(
                    .noInput,
                    found.isPackaged
                        ? "\(found.file) came with a package; remove that, as in: sudo apt remove "
                            + Units.name
                        : "\(file) does not exist, but \(found.file) does; use: sudo beemed-relay "
                            + "service uninstall")
            }
            throw Failure(.noInput, "there is no service: \(file) does not exist")
        }
        try needTool()
        #if canImport(Darwin)
            _ = try? UnitCommand.tool.call(["bootout", "\(domain)/\(Units.label)"])
        #else
            try UnitCommand.tool.call(scope + ["disable", "--now", Units.name])
        #endif
        try remove(file)
        #if !canImport(Darwin)
            if isOfMachine, FileManager.default.fileExists(atPath: UnitCommand.avahiFile) {
                try remove(UnitCommand.avahiFile)
            }
            try UnitCommand.tool.call(scope + ["daemon-reload"])
        #endif
        Console.output("removed \(file); the data folder stays")
        return .ok
    }

    /// A unit or job that is there.
    private struct Installed {
        let file: String
        let isOfMachine: Bool
        var isPackaged = false
    }

    /// The one that is meant; without `--system` and `--user` a service of the machine, too.
    private func installed() -> Installed? {
        var places = [Installed(file: file, isOfMachine: isOfMachine)]
        #if !canImport(Darwin)
            if isOfMachine || !invocation.arguments.has("user") {
                places.append(Installed(file: UnitCommand.machineFile, isOfMachine: true))
                places += UnitCommand.packagedFiles.map {
                    Installed(file: $0, isOfMachine: true, isPackaged: true)
                }
            }
        #endif
        return places.first { FileManager.default.fileExists(atPath: $0.file) }
    }

    private func isRunning(_ installed: Installed) -> Bool {
        #if canImport(Darwin)
            let question = ["print", "\(domain)/\(Units.label)"]
        #else
            let question =
                (installed.isOfMachine ? [] : ["--user"]) + ["is-active", "--quiet", Units.name]
        #endif
        return (try? UnitCommand.tool.call(question)) != nil
    }

    private func status() throws(Failure) -> ExitCode {
        let installed = installed()
        let isRunning = installed.map(isRunning) ?? false
        if invocation.wantsJSON {
            let file = installed?.file ?? file
            Console.json(["installed": installed != nil, "running": isRunning, "file": file])
        } else if installed == nil {
            Console.output("not installed; 'beemed-relay service install' installs it")
        } else {
            Console.output(isRunning ? "installed and running" : "installed, not running")
            if !isRunning, let installed { Console.notice(logHint(installed.isOfMachine)) }
        }
        return isRunning ? .ok : .unavailable
    }

    // MARK: The system

    private var scope: [String] { isOfMachine ? [] : ["--user"] }

    private func needTool() throws(Failure) {
        guard UnitCommand.tool.file != nil else {
            throw Failure(
                .unavailable,
                "there is no \(UnitCommand.tool.name) here, so nothing was changed; "
                    + "'service install --print' prints the file for another service manager to be "
                    + "made from")
        }
    }

    private static let avahiFile = "/etc/avahi/services/\(Units.name).service"

    /// Only where Avahi is.
    private func installAvahiFile() throws(Failure) {
        let folder = UnitCommand.folder(of: UnitCommand.avahiFile)
        guard isOfMachine, FileManager.default.fileExists(atPath: folder) else { return }
        try write(Discovery.avahiFile(port: servicePort), UnitCommand.avahiFile)
    }

    /// The port on which the service of the machine listens: its own environment and `config.json`
    /// count, and not those of the user who installs it.
    private var servicePort: UInt16 {
        let settings = try? Settings(
            invocation.arguments,
            environment: EnvironmentFile.variables(of: EnvironmentFile.ofService),
            isStrict: false, standardData: DataPlace.ofService)
        return given(.listen).flatMap(Endpoint.init)?.port ?? settings?.listen.port ?? 2336
    }

    private func write(_ text: String, _ path: String) throws(Failure) {
        try? FileManager.default.createDirectory(
            atPath: UnitCommand.folder(of: path), withIntermediateDirectories: true)
        do throws(DiskError) {
            try PrivateFile.write(Array("\(text)\n".utf8), to: path, mode: 0o644)
        } catch {
            throw Failure(
                .noPermission,
                "\(path) cannot be written: \(error); a service of the machine needs sudo")
        }
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    private func remove(_ path: String) throws(Failure) {
        do throws(DiskError) {
            try PrivateFile.remove(path)
        } catch { throw Failure(.noPermission, "\(path) cannot be removed: \(error)") }
    }
}
