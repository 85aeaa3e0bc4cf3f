import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay connect`.
struct ConnectCommand {
    private let arguments: Arguments
    private let settings: Settings
    private let environment: [String: String]
    private let data: String

    init(_ invocation: Invocation) {
        arguments = invocation.arguments
        settings = invocation.settings
        environment = invocation.environment
        // Never a demo's, unless it is named: a real token is for the relay that stays.
        data = invocation.place(mayBeDemo: false).folder
    }

    func run() throws(Failure) -> ExitCode {
        let account = try account()
        if let fault = account.fault { throw Failure(.dataError, fault.advice) }
        let claimed = arguments["username"]
        let connected: Connected
        if let running = try RunningRelay(data: data) {
            connected = try ask(running, account.meant, claimed)
        } else {
            connected = try save(account.meant, claimed)
        }
        Console.output(connected.words)
        return .ok
    }

    /// The result, as in the answer to `PUT /connection`.
    private struct Connected: Decodable {
        var user: String?
        var verified: Bool

        var words: String {
            guard verified else {
                return "Saved; not verified yet: Beeminder cannot be reached. Presses are accepted "
                    + "and wait; 'beemed-relay status' shows whose the token is once that is known."
            }
            let name = user.map { " as \($0)" } ?? ""
            return "Connected\(name); presses are delivered from now on."
        }
    }

    private struct Refused: Decodable {
        var code: String
        var detail: String
    }

    private func ask(
        _ running: RunningRelay, _ account: Account, _ claimed: String?
    ) throws(Failure) -> Connected {
        let name =
            switch account {
            case .personalToken: "authToken"
            case .accessToken: "accessToken"
            }
        var body = [name: account.token]
        body["username"] = claimed
        let answer = try running.call("PUT", "/connection", body, accepting: [200, 422])
        let decoder = JSONDecoder()
        if let connected = try? decoder.decode(Connected.self, from: answer) { return connected }
        guard let refused = try? decoder.decode(Refused.self, from: answer) else {
            throw Failure(.dataError, "the running relay speaks of its account in words unknown")
        }
        let isToken = refused.code == ErrorCode.tokenRefused.rawValue
        throw Failure(isToken ? .noPermission : .dataError, refused.detail)
    }

    /// Asks Beeminder directly: no relay is running.
    private func save(_ account: Account, _ claimed: String?) throws(Failure) -> Connected {
        let store = try RelayFolder(data).store
        let now = UnixTime(Instant.wallNanoseconds / 1_000_000_000)
        let client = try BeeminderClient(
            base: settings.beeminderURL, account: nil, wallClock: { now })
        let identity = client.identity(of: account)
        if let problem = Problem(identity, claimed: claimed) {
            throw Failure(.noPermission, problem.detail)
        }
        var connected =
            (try? store.accounts.known(account)) ?? ConnectedAccount(new: account, at: now)
        connected.learn(identity, claimed: claimed)
        guard store.save(connected, .standard) else {
            throw Failure(.ioError, "the account could not be saved")
        }
        let isUnnamed = identity == .unnamed
        return Connected(user: connected.user, verified: connected.isVerified || isUnnamed)
    }

    /// Reads the token from the input: on the command line every user of the machine could see it.
    private func account() throws(Failure) -> Account {
        if let given = arguments["access-token"] { return .accessToken(try read(given)) }
        if let given = arguments["auth-token"] { return .personalToken(try read(given)) }
        if let account = Account(environment: environment) { return account }
        return .personalToken(try read("-"))
    }

    private static let tokenPage = "https://www.beeminder.com/api/v1/auth_token.json"

    private func read(_ given: String) throws(Failure) -> String {
        guard given == "-" else {
            throw Failure(
                .usage,
                "a token on the command line can be seen by others; write '-' and give it "
                    + "on standard input")
        }
        let question = "Beeminder's token (the one at \(ConnectCommand.tokenPage)): "
        let line = Console.asksAPerson ? Console.secret(question) : readLine()
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
