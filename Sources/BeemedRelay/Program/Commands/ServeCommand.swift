import BeemedDomain
import Foundation
import RelayHTTP

/// `beemed-relay serve`.
struct ServeCommand {
    private let settings: Settings
    private let environment: [String: String]
    private let wantsHelp: Bool

    init(_ arguments: [String], _ environment: [String: String]) throws(Failure) {
        let parsed = try Arguments(
            arguments, valued: Settings.options, plain: Settings.flags)
        guard parsed.words.isEmpty else {
            throw Failure(.usage, "'\(parsed.words[0])' is not understood; see serve --help")
        }
        wantsHelp = parsed.has("help")
        settings = try Settings(parsed, environment: environment)
        self.environment = environment
    }

    func run() throws(Failure) -> ExitCode {
        guard !wantsHelp else {
            Console.output(Usage.serve)
            return .ok
        }
        Signals.prepare()
        let folder = try RelayFolder(settings.data)
        var account = Account(environment: environment)
        if account == nil { account = try folder.store.accounts.load()?.account }
        if let fault = account?.fault {
            Log.standard.error("the account's token is none", [("advice", fault.advice)])
        }
        let program = try RelayProgram(
            settings, folder, account: account, on: Loop(), log: .standard)
        if DataFolder.isOpenToOthers(settings.data) {
            Log.standard.warning(
                "others may look into the data folder; run chmod 700 on it",
                [("folder", settings.data)])
        }
        let first = try folder.firstDevice(log: .standard)
        let endpoint = try program.listen()
        Console.output("Listening on http://\(endpoint)")
        let isSignedOut = folder.store.sessions().isEmpty
        FirstSteps.show(
            link: isSignedOut ? FirstSteps.ownerLink(endpoint, program.ownerLink()) : nil,
            device: first.map { FirstSteps.text(endpoint, token: $0, goal: nil) },
            in: settings.data, .standard)
        if account == nil { Console.error(FirstSteps.notConnected) }
        return program.run()
    }
}
