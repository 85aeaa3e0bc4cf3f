import BeemedDomain
import RelayHTTP
import RelayTrunk

struct ConnectCommand: CommandAction {
    private let invocation: Invocation
    private let settings: Settings
    private var data: String { settings.data }
    /// The account's user, as the person at the terminal says.
    private var claimed: String? { invocation.arguments["username"] }
    private var environmentAccount: Account? { Account(environment: invocation.environment) }

    init(invocation: Invocation) throws(Failure) {
        self.invocation = invocation
        // Never a demo's, unless it is named: a real token is for the relay that stays.
        settings = try invocation.located(mayBeDemo: false)
    }

    func run() throws(Failure) -> ExitCode {
        let account = try account()
        guard account.isPlausible else {
            let isOfEnvironment = account == environmentAccount
            let words = isOfEnvironment ? account.faultOfEnvironment : nil
            throw Failure(.dataError, words ?? Account.advice)
        }
        let connected = try connect(account.meant)
        let name = connected["user"].words.map { " as \($0)" } ?? ""
        Console.output(
            connected["verified"].isTrue
                ? Console.plain("Connected\(name); presses are delivered while the relay runs.")
                : "Saved; not verified yet: Beeminder cannot be reached. Presses are accepted and "
                    + "wait; 'beemed-relay status' shows whose the token is once that is known.")
        if let note = connected["note"].words { Console.notice(note) }
        return .ok
    }

    /// Has the running relay connect the account, or saves it. Beeminder is asked before the folder
    /// is locked: its answer may take long, and a relay that is started meanwhile would fail.
    /// The result is as in the answer to `PUT /connection`.
    private func connect(_ account: Account) throws(Failure) -> RelayAnswer {
        if let running = try RunningRelay(data: data) { return try ask(running, account) }
        try StoppedRelay.check(data)
        let identity = try identity(of: account)
        if let started = try RunningRelay(data: data) { return try ask(started, account) }
        return try StoppedRelay.change(data) { (store) throws(Failure) in
            try save(account, identity, in: store)
        }
    }

    private func ask(
        _ running: RunningRelay, _ account: Account
    ) throws(Failure) -> RelayAnswer {
        let name = account.kind == .accessToken ? "accessToken" : "authToken"
        var body = [name: JSONTree.text(account.token)]
        body["username"] = claimed.map { .text($0) }
        let answer = try running.call("PUT", "/connection", body, accepting: [200, 422])
        if let code = answer["code"].words {
            let isToken = code == ErrorCode.tokenRefused.rawValue
            throw Failure(isToken ? .noPermission : .dataError, answer["detail"].text)
        }
        return answer
    }

    /// Asks Beeminder directly, as no relay runs.
    private func identity(of account: Account) throws(Failure) -> Identity {
        let client = try BeeminderClient(
            base: settings.beeminderURL, account: nil,
            wallClock: SystemClock.wall)
        let identity = client.identity(of: account)
        if let problem = Problem(identity, claimed: claimed) {
            throw Failure(.noPermission, problem.detail)
        }
        return identity
    }

    private func save(
        _ account: Account, _ identity: Identity, in store: RelayStore
    ) throws(Failure) -> RelayAnswer {
        var connected = ConnectedAccount(new: account, at: SystemClock.wall())
        connected.learn(identity, claimed: claimed)
        guard store.save(connected, .standard) else {
            throw Failure(.ioError, "the account could not be saved")
        }
        // The relay that starts next may have another environment, so that this is no mistake.
        let isOther = environmentAccount.map { $0 != account } ?? false
        return try RelayAnswer(
            JSONWriter.object { json in
                if let user = connected.user { json.add("user", user) }
                json.add("verified", connected.isVerified || identity == .unnamed)
                guard isOther else { return }
                json.add(
                    "note",
                    "a relay that starts with this environment uses the token of "
                        + "BEEMINDER_AUTH_TOKEN or BEEMINDER_ACCESS_TOKEN, and not the saved one")
            })
    }

    /// Reads the token from the input: on the command line every user of the machine could see it.
    private func account() throws(Failure) -> Account {
        let arguments = invocation.arguments
        if let given = arguments["access-token"] { return .accessToken(try readToken(given)) }
        if let given = arguments["auth-token"] { return .personalToken(try readToken(given)) }
        if let environmentAccount { return environmentAccount }
        return .personalToken(try readToken("-"))
    }

    private static let tokenPage = "https://www.beeminder.com/api/v1/auth_token.json"

    private func readToken(_ given: String) throws(Failure) -> String {
        guard given == "-" else {
            throw Failure(
                .usage,
                "a token on the command line can be seen by others; write '-' and give it "
                    + "on standard input")
        }
        let question = "Beeminder's token (the one at \(ConnectCommand.tokenPage)): "
        let line = Console.isInteractive ? Console.secret(question) : readLine()
        guard var text = line, !text.isEmpty else {
            throw Failure(
                .usage,
                "there is no token on standard input; copy it from \(ConnectCommand.tokenPage) "
                    + "and run 'beemed-relay connect' again")
        }
        // `auth_token.json` may span several lines.
        while text.hasPrefix("{"), text.utf8.count < 65_536,
            !Account.personalToken(text).isPlausible, let line = readLine()
        {
            text += "\n" + line
        }
        return text
    }
}

enum AccountCommands {
    static let all = [
        CommandSpec(
            "owner-link", "print a link that signs a browser in, once",
            options: [
                CommandOption("--sign-out-everywhere", "sign all browsers out instead"), .json,
                .data,
            ], about: ["The link works for 15 minutes. On a terminal its QR code is shown, too."]
        ).runs(ownerLink),
        CommandSpec(
            "connect", "connect the Beeminder account",
            options: [
                CommandOption("--auth-token -", "read the personal token from standard input"),
                CommandOption("--access-token -", "read an OAuth token from standard input"),
                CommandOption("--username NAME", "whose it is, when Beeminder cannot say"), .data,
                Setting.beeminderURL.documented,
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
        ).runs(needing: .settings, ConnectCommand.run),
        CommandSpec(
            "disconnect", "forget the Beeminder account", options: [.data],
            about: [
                "What is queued waits until the same user is connected again. Works whether a "
                    + "relay runs on that data folder or not."
            ]
        ).runs(needing: .settings, disconnect),
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
        let data = try invocation.located(mayBeDemo: false).data
        let isConnected: Bool
        if let running = try RunningRelay(data: data) {
            isConnected = try running.call("GET", "/connection")["kind"].isTrue
            _ = try running.call("DELETE", "/connection")
        } else if !PrivateFile.exists(data) {
            Console.output("No account is connected: \(data) does not exist.")
            return .ok
        } else {
            isConnected = try StoppedRelay.change(data) { (store) throws(Failure) in
                let isThere = try store.account() != nil
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
