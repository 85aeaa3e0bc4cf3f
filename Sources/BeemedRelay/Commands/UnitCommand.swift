import BeemedDomain
import Foundation
import RelayHTTP
import RelayTrunk

/// `beemed-relay service install|uninstall|status`: the relay as a service of systemd or launchd.
struct UnitCommand: CommandAction {
    let invocation: Invocation
    private var manager: InitSystem { InitSystem(invocation) }

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
        return Units(program: program, arguments: arguments, isOfMachine: manager.isOfMachine)
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
        #if os(Linux)
            guard !manager.isOfMachine || path == DataFolderLocator.ofService else {
                throw Failure(
                    .usage,
                    "a service of the machine may write to \(DataFolderLocator.ofService) only; "
                        + "leave --data and BEEMED_DATA out, or use --user")
            }
        #endif
        return path
    }

    /// The file that runs, not a link to it: a package manager's links move with its versions, so a
    /// link in a folder of programs is kept.
    private static var program: String? {
        let first = CommandLine.arguments[0]
        if first.hasPrefix("/") { return first }
        if let found = SystemTool.file(of: first), !first.contains("/") { return found }
        #if !os(Linux)
            return Bundle.main.executablePath
        #else
            return try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #endif
    }

    func install() throws(Failure) -> ExitCode {
        let text = manager.text(of: try units())
        guard !invocation.arguments.has("print") else {
            Console.output(text)
            return .ok
        }
        try needTool()
        let isFirst = !PrivateFile.exists(manager.file) && manager.packagedFiles.isEmpty
        try write(text, manager.file)
        do throws(Failure) {
            try writeAvahiFile()
            try manager.prepare()
        } catch {
            // A user's service manager runs in a session only.
            let machine = "sudo beemed-relay service install"
            let next =
                manager.isOfMachine ? "" : "; without a session of yours, use: \(machine)"
            throw Failure(error.code, "\(error.message); \(endFailed(isFirst: isFirst))\(next)")
        }
        do throws(Failure) { try manager.start() } catch {
            let outcome = endFailed(isFirst: isFirst)
            throw Failure(error.code, "\(error.message); \(outcome); its log: \(manager.log)")
        }
        Console.output("installed \(manager.file), and started it")
        if !manager.isOfMachine {
            Console.notice(
                "it ends when you log out, unless you run: sudo loginctl enable-linger "
                    + "\(invocation.environment["USER"] ?? "$USER")")
        }
        let sudo = manager.isOfMachine ? "sudo " : ""
        Console.notice("next: \(sudo)beemed-relay connect, then \(sudo)beemed-relay status")
        return .ok
    }

    /// Removes a service that cannot be started, unless there was one before: a unit that stays
    /// would be tried again and again. Returns what that means for the user.
    private func endFailed(isFirst: Bool) -> String {
        if isFirst {
            _ = try? manager.stop()
            let isRemoved = (try? removeFiles()) != nil
            _ = try? manager.reload()
            if isRemoved { return "nothing is installed" }
        }
        return "\(manager.file) is installed, but did not start; run this again, or "
            + "'beemed-relay service uninstall'"
    }

    private func removeFiles() throws(Failure) {
        for path in [manager.file, manager.avahiFile].compactMap(\.self)
        where PrivateFile.exists(path) {
            try onDisk(
                PrivateFile.remove(path), orFail: .noPermission, "\(path) cannot be removed")
        }
    }

    func uninstall() throws(Failure) -> ExitCode {
        let file = manager.file
        guard PrivateFile.exists(file) else {
            let other = manager.installed.map {
                "; \($0.file) is of the machine: use sudo, or remove the package that it came with"
            }
            throw Failure(.noInput, "there is no service: \(file) does not exist\(other ?? "")")
        }
        try needTool()
        try manager.stop()
        try removeFiles()
        try manager.reload()
        Console.output("removed \(file); the data folder stays")
        return .ok
    }

    func status() throws(Failure) -> ExitCode {
        let installed = manager.installed
        let isRunning = installed?.isRunning == true
        if invocation.wantsJSON {
            let file = installed?.file ?? manager.file
            Console.json(["installed": installed != nil, "running": isRunning, "file": file])
        } else if let installed {
            Console.output(isRunning ? "installed and running" : "installed, not running")
            if !isRunning { Console.notice("its log: \(installed.log)") }
        } else {
            Console.output("not installed; 'beemed-relay service install' installs it")
        }
        return isRunning ? .ok : .unavailable
    }

    private func needTool() throws(Failure) {
        guard InitSystem.tool.file == nil else { return }
        throw Failure(
            .unavailable,
            "there is no \(InitSystem.tool.name) here, so nothing was changed; 'service install "
                + "--print' prints the file for another service manager to be made from")
    }

    /// The file by which Avahi announces the relay, only where Avahi is, with the port on which the
    /// service listens: `--listen` counts, and `config.json` in the folder of the service.
    private func writeAvahiFile() throws(Failure) {
        guard let path = manager.avahiFile,
            PrivateFile.exists(UnitCommand.folder(of: path))
        else { return }
        let saved = try? Settings(
            invocation.arguments, environment: [:], isStrict: false,
            standardData: DataFolderLocator.ofService)
        let port = given(.listen).flatMap(Endpoint.init)?.port ?? saved?.listen.port
        try write(Units.avahi(port: port ?? 2336), path)
    }

    private func write(_ text: String, _ path: String) throws(Failure) {
        try? FileManager.default.createDirectory(
            atPath: UnitCommand.folder(of: path), withIntermediateDirectories: true)
        try onDisk(
            PrivateFile.write(Array("\(text)\n".utf8), to: path, mode: 0o644),
            orFail: .noPermission,
            "\(path) cannot be written (a service of the machine needs sudo)")
    }

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }
}

/// The files by which systemd and launchd run the relay.
struct Units {
    let program: String
    var arguments: [String] = []
    let isOfMachine: Bool
    /// The user's home folder, in whose `Library/Logs` launchd puts the log of a user's service.
    var home = Settings.home

    static let label = "com.beemedrelay.relay"

    /// The command line, as systemd reads it (systemd.service(5)).
    private var command: String {
        ([program, "serve"] + arguments).map { word in
            let isPlain = word.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7F && !"\"'\\$%;".utf8.contains($0)
            }
            let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return (isPlain ? word : "\"\(escaped)\"")
                .replacing("%", with: "%%").replacing("$", with: "$$")
        }.joined(separator: " ")
    }

    /// The unit (systemd.unit(5), systemd.exec(5)).
    ///
    /// Its exit codes are those after which a restart would only repeat the failure, or hide it:
    /// wrong use, another relay on the folder, permissions, configuration. `LoadCredential` without
    /// a path takes the token from /etc/credstore, if present. A user's manager may not set up all
    /// that a service of the machine is kept from, and a unit that asks for that would not start.
    var systemd: String {
        let isAtHome = ["/home/", "/root/"].contains { program.hasPrefix($0) }
        return Units.file(
            isOfMachine ? "machine.service" : "user.service",
            ["{HOME}": isAtHome ? "read-only" : "yes", "{COMMAND}": command])
    }

    /// The property list (launchd.plist(5)).
    var launchd: String {
        func escaped(_ text: String) -> String {
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        }
        let log = "\(isOfMachine ? "" : home)/Library/Logs/\(DataFolderLocator.unit).log"
        let words = ([program, "serve"] + arguments).map {
            "        <string>\(escaped($0))</string>"
        }
        return Units.file(
            "launchd.plist",
            [
                "{LABEL}": Units.label, "{LOG}": escaped(log),
                "{ARGUMENTS}": words.joined(separator: "\n"),
            ])
    }

    /// The file by which Avahi announces the relay (avahi.service(5)).
    static func avahi(port: UInt16) -> String { file("avahi.service", ["2336": "\(port)"]) }

    /// A file with texts in the place of others, the user's last.
    private static func file(_ name: String, _ texts: KeyValuePairs<String, String>) -> String {
        var file = String(decoding: EmbeddedFiles.file("service/\(name)"), as: UTF8.self)
        for (pattern, text) in texts { file = file.replacing(pattern, with: text) }
        return file.trimmed
    }
}
