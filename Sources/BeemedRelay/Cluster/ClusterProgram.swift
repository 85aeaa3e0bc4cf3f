import BeemedDomain
import RelayHTTP
import RelayTrunk
import Synchronization

/// A relay of a cluster: one address, at which it follows or leads for as long as it runs.
final class ClusterProgram: Sendable {
    private let start: RelayStart
    private let location: StoreLocation
    private let password: String?
    private let loop = Loop()
    private let log: Log
    private let front: ClusterFront
    private let server: Server
    private let keeper: LeaseKeeper
    private let choice = EtcdGateway.Choice()
    private let state: Mutex<State>

    private struct State: Sendable {
        var exitCode = ExitCode.ok
        var isStopping = false
        /// As they were read last.
        var settings: Settings
    }

    /// Fails when etcd's password cannot be read.
    init(
        _ start: RelayStart, at location: StoreLocation, log: Log = .standard
    ) throws(Failure) {
        (self.start, self.location, self.log) = (start, location, log)
        let settings = start.invocation.settings
        password = try settings.cluster.password()
        state = Mutex(State(settings: settings))
        keeper = LeaseKeeper(log)
        front = ClusterFront(settings, RouteTable(of: start.invocation.leaves), on: loop, log: log)
        let limits = settings.limits(descriptors: DescriptorLimit.raise())
        server = Server(on: loop, limits: limits, front.application)
    }

    /// Where other relays reach this one.
    private var advertised: Endpoint {
        start.invocation.settings.cluster.advertised ?? FirstSteps.address(of: start.port.endpoint)
    }

    /// Runs until the process is asked to end.
    func run() -> ExitCode {
        Signals.watch(reread: { self.start.invocation.reread(self.change) }) { self.stop() }
        Console.output(Banner.ready(start.port.endpoint))
        Supervisor.tell("READY=1\nSTATUS=Listening on http://\(start.port.endpoint)")
        return turn()
    }

    /// Runs on this thread until `stop()`, or until it cannot go on.
    func turn() -> ExitCode {
        start.folder.announce(server.listen(on: start.port))
        loop.post { [front, server] in front.assumeIsolated { $0.begin(server) } }
        let seconds = start.invocation.settings.cluster.leaseSeconds
        // A renewal that hangs must leave time for another one, at another member.
        let election = Election(
            gateway(seconds: Double(seconds) / 4), location.keys, leaseSeconds: seconds,
            clock: LeaseKeeper.clock, address: "\(advertised)")
        keeper.start(election) { self.handle($0) }
        loop.run()
        start.folder.folder.release()
        return state.withLock { $0.exitCode }
    }

    /// A gateway of its own for one thread.
    private func gateway(seconds: Double) -> EtcdGateway {
        EtcdGateway(location, password: password, seconds: seconds, choice: choice)
    }

    // MARK: Roles

    /// Called on the lease's thread.
    private func handle(_ state: Election.State) {
        switch state {
        case .following(let value):
            let address = value.map { String(decoding: $0, as: UTF8.self) }
            log.info("following", [("leader", address ?? "none")])
            // A record of an earlier term of its own is nobody's.
            let leader = address.flatMap { Endpoint($0) }
            let other = leader == advertised ? nil : leader
            loop.post { [front] in front.assumeIsolated { $0.follow(other) } }
        case .leading(let term): SystemThread.start("takeover") { self.lead(term) }
        case .withdrawn: loop.stop()
        case .claiming, .leaving: break
        }
    }

    /// Recovers the journal and begins a relay. Requests wait meanwhile.
    private func lead(_ term: LeaseTerm) {
        let begin = ContinuousClock.now
        do throws(Failure) {
            let assembly = try assemble(term)
            let store = assembly.store
            let first = store.isNew ? try store.firstDevice(log: log) : nil
            log.info(
                "leading",
                [("seconds", "\((ContinuousClock.now - begin) / .seconds(1))")])
            loop.post { self.begin(assembly, term, first) }
        } catch {
            // Otherwise it follows again.
            guard term.isValid else { return }
            log.error("this relay cannot lead", [("cause", error.message)])
            exit(error.code)
        }
    }

    private func assemble(_ term: LeaseTerm) throws(Failure) -> RelayAssembly {
        let data = start.invocation.settings.data
        let (files, opened): (ClusterFiles, RelayAssembly.Opened)
        do throws(StoreFault) {
            files = try ClusterFiles(
                ClusterSite(gateway(seconds: 5), location.keys, term), folder: data)
            let disk: SystemDisk
            do throws(DiskError) { disk = try SystemDisk(dataFolder: data) } catch {
                throw .unusable("\(error)")
            }
            opened = try Journal.open(
                on: ClusterSite(gateway(seconds: 2), location.keys, term), local: disk,
                store: RelayStore.newName)
        } catch {
            switch error {
            case .deposed: throw Failure(.unavailable, error.words)
            case .otherVersion: throw Failure(.config, "\(error.words) in etcd")
            default:
                let why = error == .noSpace ? "the quota of etcd is used up" : error.words
                throw Failure(.ioError, "the store in etcd cannot be used: \(why)")
            }
        }
        return try RelayAssembly(
            state.withLock { $0.settings }, RelayStore(folder: data, files: files), opened,
            account: start.account, term: term, leaves: start.invocation.leaves, on: loop, log: log)
    }

    /// Called on the loop.
    private func begin(_ assembly: RelayAssembly, _ term: LeaseTerm, _ token: String?) {
        let isStopping = state.withLock { $0.isStopping }
        guard term.isValid, !isStopping else { return assembly.writer.close() }
        let (data, endpoint) = (start.invocation.settings.data, start.port.endpoint)
        // Commands on this machine use the owner's token.
        if let owner = try? assembly.store.savedOwnerToken() {
            try? PrivateFile.write(Array("\(owner)\n".utf8), to: DataFile.ownerToken.path(in: data))
        }
        let relay = assembly.relay
        assembly.begin(server, at: endpoint, isDriven: true) { code in
            self.loop.post { self.relayEnded(relay, term, code) }
        }
        front.assumeIsolated { $0.lead(relay, term) }
        if let token {
            FirstSteps.show(
                link: nil, device: FirstSteps.text(endpoint, token: token, goal: nil), in: data,
                log)
        }
    }

    /// The journal of the relay that has led here has ended.
    private func relayEnded(_ relay: Relay, _ term: LeaseTerm, _ code: ExitCode) {
        if term.isValid || state.withLock({ $0.isStopping }) { return exit(code) }
        front.assumeIsolated { front in
            // This process may lead again already, with another relay.
            if front.relay === relay { front.follow(nil) }
        }
    }

    // MARK: The end

    /// Begins the shutdown: `turn()` returns when it is complete.
    func stop() {
        state.withLock { $0.isStopping = true }
        loop.post { [front, server, keeper] in
            if let relay = front.assumeIsolated({ $0.relay }) {
                relay.assumeIsolated { $0.shutDown() }
            } else {
                server.assumeIsolated { $0.drain { keeper.withdraw() } }
            }
        }
    }

    /// Gives back the lease and ends.
    private func exit(_ code: ExitCode) {
        state.withLock { state in
            state.isStopping = true
            if state.exitCode == .ok { state.exitCode = code }
        }
        keeper.withdraw()
    }

    func change(_ settings: Settings) {
        state.withLock { $0.settings = settings }
        loop.post { [front] in front.assumeIsolated { $0.change(settings) } }
    }
}
