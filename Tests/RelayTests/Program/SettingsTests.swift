import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import BeemedRelay
@testable import RelayTrunk

struct SettingsTests {
    private func settings(
        _ line: String..., environment: [String: String] = [:]
    ) throws -> Settings {
        let serve = try require(CommandTable.command(["serve"]))
        let arguments = try Arguments(line, for: serve)
        return try Settings(arguments, environment: environment)
    }

    @Test func `folders`() {
        part("a folder that a shell has not found is refused") {
            for word in ["~/relay", "~"] {
                let run = try Executable.run(["serve", "--data=\(word)"], input: "")
                expect(run.code == 64 && run.complaint.contains("write it out"), "\(run.complaint)")
            }
        }
        part("a folder that is used for something else is refused, and left alone") {
            let folder = TemporaryFolder()
            try folder.make()
            try folder.write("x", to: "passwd")
            let run = try Executable.run(
                ["serve", "--data", folder.path, "--listen", "127.0.0.1:0"], input: "")
            expect(
                run.code == 64 && run.complaint.contains("nothing of a relay"), "\(run.complaint)")
            try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), is: ["passwd"])
            let doctor = try Executable.run(["doctor", "--data", folder.path]).output
            expect(doctor.contains("nothing of a relay") && !doctor.contains("chmod"), "\(doctor)")
            let own = TemporaryFolder()
            try own.make()
            for name in [
                "lost+found", "#recycle", "@eaDir", ".snapshot", "System Volume Information",
            ] {
                try own.make("\(name)")
            }
            try RunningRelayProgram(in: own).stop()
        }
        part("of a folder that is not the default one are in its own config.json") {
            let folder = TemporaryFolder()
            try folder.make()
            let file = "\(folder.path)/\(ConfigFile.name)"
            try folder.write(#"{"listen": "127.0.0.1:21650", "lisen": 1}"#, to: ConfigFile.name)
            let status = try require(CommandTable.command(["status"]))
            let settings = try Settings(
                Arguments([], for: status), environment: ["HOME": "/nowhere"], isStrict: false,
                standardData: folder.path)
            expect(settings.listen, is: Endpoint("127.0.0.1:21650"))
            expect(settings.origins.first?.value, is: folder.path)
            expect(settings.startFaults.count == 1 && settings.warnings == settings.startFaults)
            let shown = try Executable.run(
                ["status", "--settings", "--data", folder.path], input: "")
            expect(shown.complaint.contains("'lisen'; did you mean 'listen'?"))
            expect(shown.complaint.contains("a start would fail until config.json is corrected"))
            try FileManager.default.moveItem(atPath: file, toPath: "\(file).real")
            try FileManager.default.createSymbolicLink(
                atPath: file, withDestinationPath: "\(file).real")
            let linked = #expect(throws: Failure.self) { try self.settings("--data", folder.path) }
            expect(linked?.message.contains("config.json is a link"), is: true)
        }
    }

    @Test func `where settings come from`() {
        part("have defaults") {
            let settings = try settings(environment: ["HOME": "/home/alice"])
            expect(settings.listen, is: Endpoint("0.0.0.0:2336"))
            expect(settings.data.hasPrefix("/home/alice/"))
            expect(settings.beeminderURL, is: "https://www.beeminder.com/api/v1/")
            expect(settings.requestsPerSecond, is: 50)
        }
        part("take the option before the environment") {
            let environment = ["BEEMED_DATA": "/env", "BEEMED_LISTEN": "127.0.0.1:1"]
            let settings = try settings("--data", "/option", environment: environment)
            expect(settings.data, is: "/option")
            expect(settings.listen, is: Endpoint("127.0.0.1:1"))
        }
        part("stand in the reference's table as in the program's") {
            let lines = try SourceTree.file("docs/reference.md").lines
            for setting in Setting.all {
                let typed = setting.option.typed.replacing("|", with: "\\|")
                let key = setting.key.map { "`\($0)`\(setting.changesLive ? " *" : "")" } ?? ""
                let start = "| `\(typed)` | `\(setting.variable)` | \(key) | "
                let line = try require(lines.first { $0.hasPrefix(start) }, "\(start)")
                expect(line.hasSuffix(" | \(setting.option.help) |"))
                let shown = setting.standard == "none" ? "none" : "`\(setting.standard)`"
                expect(line.contains(shown))
            }
            expect(lines.filter { $0.hasPrefix("| `--") }.count, is: Setting.all.count)
        }
        part("come from config.json, with its mistakes and the nearest keys") {
            let folder = TemporaryFolder()
            try folder.make()
            let file = URL(fileURLWithPath: folder.path + "/config.json")
            let data = ["--data", folder.path]
            func read(_ text: String, _ environment: [String: String] = [:]) throws -> Settings {
                try Data(text.utf8).write(to: file)
                let serve = try require(CommandTable.command(["serve"]))
                return try Settings(try Arguments(data, for: serve), environment: environment)
            }
            let whole = try read(
                #"{"listen": "127.0.0.1:5", "rateLimit": 3.5, "servePublicAddresses": true, "#
                    + #""trustedProxy": ["192.168.1.2", "::1"], "logFormat": "json"}"#)
            expect(whole.listen, is: Endpoint("127.0.0.1:5"))
            expect(whole.requestsPerSecond == 3.5 && whole.servesPublicAddresses)
            expect(whole.trustedProxies.count == 2 && whole.logFormat == .json)
            let over = try read(#"{"listen": "127.0.0.1:5"}"#, ["BEEMED_LISTEN": "127.0.0.1:6"])
            expect(over.listen, is: Endpoint("127.0.0.1:6"))
            let origin = over.origins.first { $0.name == "listen" }
            expect(origin?.from, is: .environment)
            let failure = #expect(throws: Failure.self) {
                try read(#"{"lisen": "x", "rateLimit": "fast", "logLevel": {}, "zzzzzz": 1}"#)
            }
            expect(failure?.code, is: .config)
            for words in [
                "'lisen'; did you mean 'listen'?", "rateLimit 'fast'", "'logLevel' must be",
                "unknown setting 'zzzzzz'",
            ] {
                expect(failure?.message.contains(words), is: true, "\(words)")
            }
            let none = #expect(throws: Failure.self) { try read("[1]") }
            expect(none?.message.contains("not a JSON object"), is: true)
            let odd = try read("{}", ["BEEMED_LISTN": "x"])
            expect(odd.warnings.first?.contains("'BEEMED_LISTEN'"), is: true)
        }
    }

    @Test func `mistakes in settings`() throws {
        // Say where config.json is no JSON, and how to write it.
        for (text, words) in [
            ("{\n  \"listen\": \"a\",\n}\n", "line 3, column 1 is wrong;"),
            ("{\"a\": 1\n \"b\": 2}", "line 2, column 2 is wrong;"),
            ("{listen: 1}", "line 1, column 2 is wrong;"),
            ("{\"listen\": \"a\n\"}", "line 1, column 14 is wrong;"),
            ("{\n", "line 2, column 1 is wrong;"),
            ("", "line 1, column 1 is wrong;"),
        ] as [(String, String)] {
            let folder = TemporaryFolder()
            try folder.make()
            let file = URL(fileURLWithPath: "\(folder.path)/\(ConfigFile.name)")
            try Data(text.utf8).write(to: file)
            let failure = #expect(throws: Failure.self) { try settings("--data", folder.path) }
            expect(failure?.code, is: .config, "\(text)")
            let message = try require(failure?.message)
            expect(
                message.hasPrefix("config.json is not valid JSON in UTF-8: \(words)"), "\(message)")
            expect(message.hasSuffix(#"as in {"listen": "0.0.0.0:2336", "logLevel": "debug"}"#))
            try Data([0xFF, 0xFE, 0x7B, 0x00]).write(to: file)
            let other = #expect(throws: Failure.self) { try settings("--data", folder.path) }
            expect(other?.message.contains("in UTF-8: line 1, column 1 is wrong"), is: true)
        }
        part("report every mistake at once") {
            let failure = #expect(throws: Failure.self) {
                try settings(
                    "--listen", "nowhere", "--rate-limit=fast", "--max-connections", "0",
                    "--host-name", "http://relay.example:80/")
            }
            expect(failure?.code, is: .usage)
            for word in ["--listen", "--rate-limit", "--max-connections", "--host-name"] {
                expect(failure?.message.contains(word), is: true)
            }
        }
        // Are refused where a start could not use them.
        for (line, words) in [
            (["--rate-limit", "1e-300"], "from 0.001 up"),
            (["--rate-limit", "nan"], "from 0.001 up"),
            (["--beeminder-url", "https://"], "is not a valid URL"),
            (["--beeminder-url", "http://host/?a=b"], "is not a valid URL"),
            (["--data", "--json"], "is an option and not a folder"),
            (["--listen", "127.0.0.1:1", "--listen", "127.0.0.1:2"], "is given twice"),
        ] as [([String], String)] {
            let serve = try require(CommandTable.command(["serve"]))
            let failure = #expect(throws: Failure.self) {
                try Settings(try Arguments(line, for: serve), environment: [:])
            }
            expect(failure?.code, is: .usage, "\(line)")
            expect(failure?.message.contains(words), is: true, "\(failure?.message ?? "")")
        }
    }

    @Test func `single settings`() throws {
        part(
            "take an address to come back to from Beeminder",
            [
                ("https://relay.example/oauth/callback", true),
                ("HTTP://10.0.0.2:2336/a?b=c", true),
                ("http://[::1]:2336/oauth/callback", true), ("relay.example/oauth/callback", false),
                ("/oauth/callback", false), ("https:///oauth/callback", false),
                ("https://relay.example/#a", false), ("https://relay.example/#", false),
                ("beemed://relay.example/", false), ("https://relay example/", false),
                ("https:", false),
                ("", false),
            ] as [(String, Bool)]
        ) { text, isTaken in
            guard !isTaken else {
                let settings = try settings("--oauth-redirect-uri", text)
                return expect(settings.oauthRedirectURI, is: text)
            }
            let failure = #expect(throws: Failure.self) {
                try settings("--oauth-redirect-uri", text)
            }
            expect(failure?.code, is: .usage)
            expect(failure?.message.contains("https://relay.example/oauth/callback"), is: true)
        }
        // The user's own phone must not get the reminders of the demo's goals.
        part("of the demo leave the user's own accounts out") {
            let demo = try require(CommandTable.command(["demo"]))
            let environment = ["BEEMED_NOTIFY": "ntfy://mine", "BEEMED_OAUTH_CLIENT_ID": "me"]
            var settings = try Settings(Arguments([], for: demo), environment: environment)
            settings.keepOwnAccountsOut()
            expect(settings.notify.isEmpty && settings.oauthClientID == nil)
            expect(settings.origins.first { $0.name == "notify" }?.from, is: .default)
            let line = ["--notify", "ntfy://demo"]
            settings = try Settings(Arguments(line, for: demo), environment: environment)
            settings.keepOwnAccountsOut()
            expect(settings.notify.count == 1 && settings.oauthClientID == nil)
        }
        part("of a password may be in a file that a link names") {
            let folder = TemporaryFolder()
            try folder.make()
            try folder.write("s3cret\n", to: "real")
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/link", withDestinationPath: "real")
            let settings = try settings(
                "--store", "etcd://relay@pi:2379/home", "--store-password-file",
                "\(folder.path)/link", "--data", folder.path)
            try expect(settings.cluster.password(), is: "s3cret")
        }
        // Take a base for Beeminder.
        for (base, isTaken) in [
            ("http://127.0.0.1:9", true), ("http://127.0.0.1:9/", true),
            ("https://www.beeminder.com/api/v1/", true), ("http://127.0.0.1:9/other", true),
            ("beeminder", false), ("ftp://host/", false), ("", false),
        ] as [(String, Bool)] {
            let client = try? BeeminderClient(base: base, account: nil, wallClock: { .init(0) })
            expect((client != nil) == isTaken, "\(base)")
        }
    }
}
