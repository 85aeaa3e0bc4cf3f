import BeemedDomain
import RelayHTTP
import RelayTrunk

#if canImport(dnssd)
    import dnssd
#endif

struct ServeCommand: CommandAction {
    let invocation: Invocation
    private var settings: Settings { invocation.settings }
    private var leaves: [Leaf] { invocation.leaves }

    func run() throws(Failure) -> ExitCode {
        Signals.prepare()
        Log.standard.change(settings.logLevel, settings.logFormat)
        for warning in settings.warnings { Log.standard.warning("settings", [("found", warning)]) }
        let port = try RelayProgram.open(settings)
        let folder = try RelayFolder(settings.data)
        let given = Account.given(in: invocation.environment)
        let account = try folder.store.account(given)
        if account?.account.isPlausible == false {
            Log.standard.error("the account's token is not valid", [("advice", Account.advice)])
        }
        let start = RelayStart(invocation, folder, given, on: port)
        for serve in leaves.compactMap(\.serve) {
            if let code = try serve(start) { return code }
        }
        // Presses would go into a journal that no other relay has.
        guard settings.cluster.store == nil else {
            throw Failure(.config, "this program cannot run in a cluster; leave --store out")
        }
        // Reading a large journal needs the most memory, and little of the code that ran before.
        ProgramPages.release()
        let program = try RelayProgram(
            settings, folder, account: given, leaves: leaves, on: Loop(), log: .standard)
        if DataFolder.isOpenToOthers(settings.data) {
            Log.standard.warning(
                "others may look into the data folder; run chmod 700 on it",
                [("folder", settings.data)])
        }
        let store = folder.store
        let first = store.isNew ? try store.firstDevice(log: .standard) : nil
        let endpoint = program.listen(on: port)
        show(program, endpoint, folder, first, account)
        Supervisor.tell("READY=1\nSTATUS=Listening on http://\(endpoint)")
        let endAnnouncement = Discovery.announce(endpoint)
        defer { endAnnouncement?() }
        return program.run { invocation.reread(program.change) }
    }

    private func show(
        _ program: RelayProgram, _ endpoint: Endpoint, _ folder: RelayFolder, _ token: String?,
        _ account: ConnectedAccount?
    ) {
        Console.output(Banner.ready(endpoint))
        // On a terminal the link's code is the last to be seen.
        let isTerminal = Console.isTerminal
        if isTerminal { Banner.show(settings, endpoint, account: account.words) }
        let isSignedOut = (folder.store.saved(.sessions, Sessions.self) ?? Sessions()).isEmpty
        let link =
            isSignedOut
            ? "http://\(FirstSteps.address(of: endpoint))\(program.ownerLink())" : nil
        let steps = token.map { FirstSteps.text(endpoint, token: $0, goal: nil) }
        FirstSteps.show(link: link, device: steps, in: settings.data, .standard)
        if !isTerminal { Banner.show(settings, endpoint, account: account.words) }
        program.relay.loop.post { ProgramPages.release() }
    }
}

/// Lets devices find the relay by name (DNS-SD, RFC 6763), as `_beemed._tcp`.
///
/// On Apple's systems the system's own service is asked. On Linux Avahi reads a file, which
/// `service install` and the Debian package put into its folder.
enum Discovery {
    /// Announces the relay until the result is called; nil where nothing can or need be announced.
    static func announce(_ endpoint: Endpoint) -> (() -> Void)? {
        guard !endpoint.address.isLoopback else { return nil }
        #if canImport(dnssd)
            var service: DNSServiceRef?
            let status = unsafe DNSServiceRegister(
                &service, 0, 0, nil, "_beemed._tcp", nil, nil, endpoint.port.bigEndian, 0, nil, nil,
                nil)
            guard status == kDNSServiceErr_NoError, let service = unsafe service else { return nil }
            return { unsafe DNSServiceRefDeallocate(service) }
        #else
            return nil
        #endif
    }
}
