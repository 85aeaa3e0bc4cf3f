/// The manual page beemed-relay(1), made from the command table (man(7)).
enum ManPage {
    /// - Parameter version: the program's.
    static func text(version: String) -> String {
        var lines = [
            ".TH BEEMED\\-RELAY 1 \"\(Version.date)\" \"BeemedRelay \(version)\" \"User Commands\"",
            ".SH NAME",
            "beemed\\-relay \\- takes presses of small devices and delivers them to Beeminder",
            ".SH SYNOPSIS", ".B beemed\\-relay", ".I COMMAND", "[OPTIONS]", ".SH DESCRIPTION",
            escaped(
                "A small always-on server for the home network that takes \"+1\" presses from "
                    + "small devices, puts them on disk, answers, and delivers them to Beeminder "
                    + "exactly once."),
            ".SH COMMANDS",
        ]
        for command in CommandTable.all { lines += self.command(command) }
        lines += settings + exits
        lines += [
            ".SH FILES", ".TP", escaped(Settings.dataShown),
            "The data folder: journal, devices, account, settings (config.json).",
            ".SH SEE ALSO",
            escaped(
                "The running relay serves its manual at /docs and its contract at "
                    + "/openapi.yaml."),
        ]
        return lines.joined(separator: "\n")
    }

    private static func command(_ command: CommandSpec) -> [String] {
        var lines = [".SS \"\(escaped(command.usage))\""]
        lines.append(escaped(HelpText.sentence(command.summary)))
        for paragraph in command.about { lines += [".PP", escaped(paragraph)] }
        for option in command.options {
            lines += [".TP", ".B \(escaped(option.typed))", escaped(option.help)]
        }
        if !command.examples.isEmpty {
            lines += [".PP", ".nf"]
            lines += command.examples.map { "    beemed\\-relay \(escaped($0))" } + [".fi"]
        }
        return lines
    }

    private static var settings: [String] {
        var lines = [
            ".SH SETTINGS",
            escaped(
                "An option wins over the environment, the environment over config.json in the "
                    + "data folder, that over the default."),
        ]
        for setting in Setting.all {
            let key = setting.key.map { ", config.json: \($0)" } ?? ""
            lines += [
                ".TP", ".B \(escaped(setting.option.typed))",
                escaped(
                    "\(setting.option.help). Environment: \(setting.variable)\(key). Default: "
                        + "\(setting.standard)."),
            ]
        }
        return lines
    }

    private static var exits: [String] {
        var lines = [".SH EXIT STATUS"]
        for code in ExitCode.allCases {
            lines += [".TP", ".B \(code.rawValue)", escaped(code.meaning)]
        }
        return lines
    }

    /// A text in which no character is a request or an escape (roff(7)).
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "'": escaped += "\\(aq"
            case "\"": escaped += "\\(dq"
            default: escaped.append(character)
            }
        }
        return escaped.hasPrefix(".") ? "\\&\(escaped)" : escaped
    }
}
