import BeemedDomain
import RelayTrunk

/// The files by which systemd and launchd run the relay.
struct Units {
    /// The program's file.
    let program: String
    /// Further arguments of `serve`.
    var arguments: [String] = []
    /// Whether this is a service of the machine, else of one user.
    let isOfMachine: Bool
    /// The user's home folder, in whose `Library/Logs` launchd puts the log of a user's service.
    var home = Settings.home

    /// The job's name for launchd.
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
