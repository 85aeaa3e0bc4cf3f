import RelayHTTP
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The commands about the owner and the account.
extension CommandTable {
    static let accounts = [
        CommandSpec(
            words: ["owner-link"], summary: "print a link that signs a browser in, once",
            options: [
                CommandOption("sign-out-everywhere", "sign all browsers out instead"), json, data,
            ], about: ["The link works for 15 minutes. On a terminal its QR code is shown, too."]
        ).runs(ownerLink),
        CommandSpec(
            words: ["connect"], summary: "connect the Beeminder account",
            options: [
                CommandOption(
                    "auth-token", value: "-", "read the personal token from standard input"),
                CommandOption(
                    "access-token", value: "-", "read an OAuth token from standard input"),
                CommandOption("username", value: "NAME", "whose it is, when Beeminder cannot say"),
                data, Setting.beeminderURL.documented,
            ], exclusive: ["auth-token", "access-token"],
            about: [
                "Asks for the personal token on a terminal, without showing it; else the token "
                    + "comes from BEEMINDER_AUTH_TOKEN, BEEMINDER_ACCESS_TOKEN or standard input. "
                    + "It is the one at https://www.beeminder.com/api/v1/auth_token.json; that "
                    + "whole text will do.",
                "Beeminder is asked whose it is, then it is saved. A token that Beeminder refuses "
                    + "is not saved; without an answer it is saved, and said not to be verified. "
                    + "Works whether a relay runs on that data folder or not.",
            ], examples: ["connect", "connect --auth-token - < auth_token.json"],
            exits: [(.noPermission, "Beeminder refuses the token, or the folder is another user's")]
        ).runs(ConnectCommand.self),
        CommandSpec(
            words: ["disconnect"], summary: "forget the Beeminder account", options: [data],
            about: [
                "What is queued waits until the same user is connected again. Works whether a "
                    + "relay runs on that data folder or not."
            ]
        ).runs(disconnect),
    ]

    private static func ownerLink(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let running = try invocation.relay()
        if invocation.arguments.has("sign-out-everywhere") {
            _ = try running.call("DELETE", "/sessions")
            return .ok
        }
        let path = try running.call("POST", "/owner-link")["path"].text
        let link = "http://\(running.shown)\(path)"
        guard !invocation.wantsJSON else {
            Console.json(["url": link])
            return .ok
        }
        Console.output(link)
        if Console.isTerminal, let code = QRCode(link) { Console.output(code.text) }
        return .ok
    }

    /// Queued presses stay queued.
    private static func disconnect(_ invocation: Invocation) throws(Failure) -> ExitCode {
        let data = invocation.location(mayBeDemo: false).folder
        let isConnected: Bool
        if let running = try RunningRelay(data: data) {
            isConnected = try running.call("GET", "/connection")["kind"].isTrue
            _ = try running.call("DELETE", "/connection")
        } else if !FileManager.default.fileExists(atPath: data) {
            Console.output("No account is connected: \(data) does not exist.")
            return .ok
        } else {
            isConnected = try StoppedRelay.change(data) { (store) throws(Failure) in
                let isThere = try store.accounts.load() != nil
                guard store.save(nil, .standard) else {
                    throw Failure(.ioError, "the account could not be forgotten")
                }
                return isThere
            }
        }
        Console.output(
            isConnected
                ? "Disconnected; presses that wait are kept for the same user."
                : "No account was connected.")
        return .ok
    }
}
