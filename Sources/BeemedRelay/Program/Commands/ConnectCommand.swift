import BeemedDomain
import Foundation
import RelayHTTP

/// `beemed-relay connect`.
struct ConnectCommand {
    private let arguments: Arguments
    private let settings: Settings
    private let environment: [String: String]

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        self.arguments = try Arguments(
            arguments, valued: ["data", "auth-token", "access-token", "username"], plain: ["help"])
        settings = try Settings(self.arguments, environment: environment)
        self.environment = environment
    }

    func run() throws(Failure) -> ExitCode {
        guard !arguments.has("help") else {
            Console.output(Usage.connect)
            return .ok
        }
        let account = try account()
        guard account.isPlausible else {
            throw Failure(.dataError, "that is no token; it is one word of letters and digits")
        }
        if let running = try RunningRelay(data: settings.data) {
            let name =
                switch account {
                case .personalToken: "authToken"
                case .accessToken: "accessToken"
                }
            var body = [name: account.token]
            body["username"] = arguments["username"]
            _ = try running.call("PUT", "/connection", body)
        } else {
            try save(account)
        }
        Console.output("Connected; presses are delivered from now on.")
        return .ok
    }

    private func save(_ account: Account) throws(Failure) {
        let store = try RelayFolder(settings.data).store
        let known = try? store.accounts.known(account, user: arguments["username"])
        let now = UnixTime(Instant.wallNanoseconds / 1_000_000_000)
        let connected =
            known ?? ConnectedAccount(new: account, user: arguments["username"], at: now)
        guard store.save(connected, .standard) else {
            throw Failure(.ioError, "the account could not be saved")
        }
    }

    /// A token on the command line would be seen by every user of the machine.
    private func account() throws(Failure) -> Account {
        if let given = arguments["access-token"] { return .accessToken(try read(given)) }
        if let given = arguments["auth-token"] { return .personalToken(try read(given)) }
        guard let account = Account(environment: environment) else {
            throw Failure(
                .usage, "give the token on standard input: beemed-relay connect --auth-token -")
        }
        return account
    }

    private func read(_ given: String) throws(Failure) -> String {
        guard given == "-" else {
            throw Failure(
                .usage,
                "a token on the command line can be seen by others; write '-' and give it "
                    + "on standard input")
        }
        guard let line = readLine(), !line.isEmpty else {
            throw Failure(.usage, "there is no token on standard input")
        }
        return line.trimmingCharacters(in: .whitespaces)
    }
}
