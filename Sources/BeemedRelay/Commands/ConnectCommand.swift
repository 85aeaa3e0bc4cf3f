import BeemedDomain
import RelayHTTP
import RelayTrunk

/// `beemed-relay connect`.
struct ConnectCommand: CommandAction {
    private let arguments: Arguments
    private let settings: Settings
    private let environment: [String: String]
    private let data: String

    init(invocation: Invocation) throws(Failure) {
        arguments = invocation.arguments
        environment = invocation.environment
        // Never a demo's, unless it is named: a real token is for the relay that stays.
        let location = invocation.location(mayBeDemo: false)
        data = location.folder
        settings = try invocation.at(location).settings
    }

    func run() throws(Failure) -> ExitCode {
        let account = try account()
        if let fault = account.fault {
            let isOfEnvironment = account == Account(environment: environment)
            let words = isOfEnvironment ? account.faultOfEnvironment : nil
            throw Failure(.dataError, words ?? fault.advice)
        }
        let connected = try connect(account.meant)
        Console.output(Console.plain(connected.words))
        if let note = connected.note { Console.notice(note) }
        return .ok
    }

    /// Has the running relay connect the account, or saves it. Beeminder is asked before the folder
    /// is locked: its answer may take long, and a relay that is started meanwhile would fail.
    private func connect(_ account: Account) throws(Failure) -> Connected {
        let claimed = arguments["username"]
        if let running = try RunningRelay(data: data) {
            return try ask(running, account, claimed)
        }
        try StoppedRelay.check(data)
        let identity = try identity(of: account, claimed)
        if let started = try RunningRelay(data: data) { return try ask(started, account, claimed) }
        return try StoppedRelay.change(data) { (store) throws(Failure) in
            try save(account, identity, claimed, in: store)
        }
    }

    /// The result, as in the answer to `PUT /connection`.
    private struct Connected {
        var user: String?
        var verified: Bool
        /// Why Beeminder has not confirmed it now.
        var detail: String?
        /// A further note for the user.
        var note: String?

        private static let noAnswer = "Beeminder cannot be reached. Presses are accepted and wait"

        /// A token that Beeminder has named earlier, and could not be asked about now.
        static func known(_ user: String?) -> String {
            let name = user.map { ", and was \($0)'s when Beeminder was asked last" } ?? ""
            return "the token was known before\(name). For now \(noAnswer)."
        }

        var words: String {
            guard verified else {
                return "Saved; not verified yet: \(Connected.noAnswer); "
                    + "'beemed-relay status' shows whose the token is once that is known."
            }
            if let detail { return "Saved; \(detail)" }
            let name = user.map { " as \($0)" } ?? ""
            return "Connected\(name); presses are delivered while the relay runs."
        }
    }

    private func ask(
        _ running: RunningRelay, _ account: Account, _ claimed: String?
    ) throws(Failure) -> Connected {
        let name =
            switch account {
            case .personalToken: "authToken"
            case .accessToken: "accessToken"
            }
        var body = [name: JSONTree.text(account.token)]
        body["username"] = claimed.map { .text($0) }
        let answer = try running.call("PUT", "/connection", body, accepting: [200, 422])
        if let code = answer["code"].words {
            let isToken = code == ErrorCode.tokenRefused.rawValue
            throw Failure(isToken ? .noPermission : .dataError, answer["detail"].text)
        }
        return Connected(
            user: answer["user"].words, verified: answer["verified"].isTrue,
            detail: answer["detail"].words, note: answer["note"].words)
    }

    private var now: UnixTime { UnixTime(Instant.wallNanoseconds / 1_000_000_000) }

    /// Asks Beeminder directly, as no relay runs.
    ///
    /// - Throws: `Failure` when Beeminder refuses the token, or knows the token as another user's.
    private func identity(
        of account: Account, _ claimed: String?
    ) throws(Failure) -> Identity {
        let now = now
        let client = try BeeminderClient(
            base: settings.beeminderURL, account: nil, wallClock: { now })
        let identity = client.identity(of: account)
        if let problem = Problem(identity, claimed: claimed) {
            throw Failure(.noPermission, problem.detail)
        }
        return identity
    }

    private func save(
        _ account: Account, _ identity: Identity, _ claimed: String?, in store: RelayStore
    ) throws(Failure) -> Connected {
        var connected =
            (try? store.accounts.known(account)) ?? ConnectedAccount(new: account, at: now)
        connected.learn(identity, claimed: claimed)
        guard store.save(connected, .standard) else {
            throw Failure(.ioError, "the account could not be saved")
        }
        return Connected(
            user: connected.user, verified: connected.isVerified || identity == .unnamed,
            detail: identity.isUnclear ? Connected.known(connected.user) : nil,
            note: noteOnEnvironment(account))
    }

    /// The relay that starts next may have another environment, so that this is no mistake.
    private func noteOnEnvironment(_ account: Account) -> String? {
        guard let other = Account(environment: environment), other != account else { return nil }
        return "a relay that starts with this environment uses the token of BEEMINDER_AUTH_TOKEN "
            + "or BEEMINDER_ACCESS_TOKEN, and not the saved one"
    }

    /// Reads the token from the input: on the command line every user of the machine could see it.
    private func account() throws(Failure) -> Account {
        if let given = arguments["access-token"] { return .accessToken(try readToken(given)) }
        if let given = arguments["auth-token"] { return .personalToken(try readToken(given)) }
        if let account = Account(environment: environment) { return account }
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
            Account.personalToken(text).fault == .json, let line = readLine()
        {
            text += "\n" + line
        }
        return text
    }
}
