import BeemedDomain
import RelayHTTP
import RelayTrunk
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A relay of a cluster: one address, at which it follows or leads for as long as it runs.
final class ClusterProgram: Sendable {
    private let settings: Settings
    private let location: StoreLocation
    private let folder: RelayFolder
    private let account: Account?
    private let port: OpenPort
    private let loop = Loop()
    private let log: Log
    private let front: ClusterFront
    private let server: Server
    private let keeper = LeaseKeeper()
    private let password: String?
    private let leaves: [Leaf]
    private let choice = EtcdGateway.Choice()
    private let state = Mutex(State())
    private let connectivity = Connectivity()

    private struct State: Sendable {
        var exitCode = ExitCode.ok
        var isStopping = false
        /// The settings that were reread while this relay followed.
        var settings: Settings?
    }

    /// - Throws: `Failure` when etcd's password cannot be read.
    init(
        _ start: RelayStart, at location: StoreLocation, log: Log = .standard
    ) throws(Failure) {
        self.log = log
        (settings, folder, account) = (start.settings, start.folder, start.account)
        (leaves, port, self.location) = (start.leaves, start.port, location)
        password = try settings.cluster.password()
        front = ClusterFront(settings, RouteTable(of: leaves), on: loop, log: log)
        let limits = settings.limits(descriptors: DescriptorLimit.raise())
        server = Server(on: loop, limits: limits, front.application)
    }

    /// Where other relays reach this one.
    private var advertised: Endpoint {
        settings.cluster.advertised ?? FirstSteps.address(of: port.endpoint)
    }

    /// Runs until the process is asked to end.
    ///
    /// - Parameter reread: called for SIGHUP.
    func run(reread: @escaping @Sendable (ClusterProgram) -> Void) throws(Failure) -> ExitCode {
        Signals.watch(reread: { reread(self) }) { self.stop() }
        Console.output(Banner(settings: settings, endpoint: port.endpoint).ready)
        Supervisor.tell("READY=1\nSTATUS=Listening on http://\(port.endpoint)")
        return turn()
    }

    /// Runs on this thread until `stop()`, or until it cannot go on.
    ///
    /// - Returns: the exit code.
    func turn() -> ExitCode {
        folder.announce(server.listen(on: port))
        let (front, server) = (front, server)
        loop.post { [loop, connectivity] in
            front.assumeIsolated { $0.begin(server) }
            connectivity?.watch(on: loop) {
                front.assumeIsolated { $0.relay?.networkCameBack() }
            }
        }
        startElection()
        loop.run()
        folder.folder.release()
        return state.withLock { $0.exitCode }
    }

    /// A gateway of its own for one thread.
    private func gateway(seconds: Double) -> EtcdGateway {
        EtcdGateway(location, password: password, seconds: seconds, choice: choice)
    }

    // MARK: Roles

    private func startElection() {
        let address = advertised
        let name = ProcessInfo.processInfo.hostName
        let seconds = settings.cluster.leaseSeconds
        // A renewal that hangs must leave time for another one, at another member.
        let election = Election(
            gateway(seconds: Double(seconds) / 4), location.keys, leaseSeconds: seconds,
            clock: LeaseKeeper.clock
        ) {
            LeaderRecord(
                name: name, address: "\(address)", since: SystemClock().moment().wall)
        }
        keeper.start(election) { self.handle($0) }
    }

    /// Called on the lease's thread.
    private func handle(_ news: LeaseKeeper.News) {
        switch news {
        case .following(let record):
            // A record of an earlier term of its own is nobody's.
            let leader = record.flatMap { Endpoint($0.address) }.flatMap {
                $0 == advertised ? nil : $0
            }
            log.info("following", [("leader", record?.address ?? "none")])
            loop.post { [front] in
                front.assumeIsolated { front in
                    guard let relay = front.relay else { return front.follow(leader) }
                    front.expect(leader)
                    relay.assumeIsolated { $0.stepDown() }
                }
            }
        case .leading(let term):
            SystemThread.start("takeover") { self.lead(term) }
        case .withdrawn: loop.stop()
        case .trouble(nil): log.info("etcd answers again", [])
        case .trouble(let fault?):
            log.warning("etcd does not do its part", [("cause", fault.words)])
        }
    }

    /// Recovers the journal and begins a relay. Requests wait meanwhile.
    private func lead(_ term: LeaseTerm) {
        let begin = ContinuousClock.now
        do throws(Failure) {
            let (assembly, store) = try assemble(term)
            let first = try store.firstDevice(log: log)
            log.info(
                "leading",
                [("seconds", "\((ContinuousClock.now - begin) / .seconds(1))")])
            loop.post { self.begin(assembly, store, term, first) }
        } catch {
            // Otherwise it follows again.
            guard term.isValid else { return }
            log.error("this relay cannot lead", [("cause", error.message)])
            exit(error.code)
        }
    }

    private func assemble(_ term: LeaseTerm) throws(Failure) -> (RelayAssembly, RelayStore) {
        let keys = location.keys
        let store = RelayStore(folder: settings.data, files: try files(term))
        let opened: RelayAssembly.Opened
        do throws(StoreFault) {
            let disk: SystemDisk
            do throws(DiskError) {
                disk = try SystemDisk(dataFolder: settings.data)
            } catch { throw .unusable("\(error)") }
            opened = try Journal.open(
                on: ClusterSite(gateway(seconds: 2), keys, term, local: disk),
                store: UUID().uuidString)
        } catch {
            switch error {
            case .deposed: throw Failure(.unavailable, "another relay leads")
            case .otherVersion:
                throw Failure(.config, "another version of the program wrote the journal in etcd")
            case .store, .missing, .unusable:
                let why = error == .store(.noSpace) ? "the quota of etcd is used up" : error.words
                throw Failure(.ioError, "the journal in etcd cannot be used: \(why)")
            }
        }
        let settings = state.withLock { $0.settings } ?? settings
        return (
            try RelayAssembly(
                settings, store, opened, account: account, term: term, leaves: leaves, on: loop,
                log: log), store
        )
    }

    /// Reads the small files, if need be from one member after the other while this relay leads.
    private func files(_ term: LeaseTerm) throws(Failure) -> ClusterFiles {
        let store = gateway(seconds: 5)
        var cause = KeyValueFault.unanswered("this relay no longer leads")
        while term.isValid {
            do throws(KeyValueFault) {
                return try ClusterFiles(store, location.keys, term, folder: settings.data)
            } catch {
                cause = error
                guard case .unanswered = error else { break }
            }
        }
        throw Failure(.unavailable, "the settings cannot be read from etcd: \(cause)")
    }

    /// Called on the loop.
    private func begin(
        _ assembly: RelayAssembly, _ store: RelayStore, _ term: LeaseTerm, _ token: String?
    ) {
        let relay = assembly.relay
        let isStopping = state.withLock { $0.isStopping }
        guard term.isValid, !isStopping else { return assembly.writer.close() }
        // Commands on this machine use the owner's token.
        if let owner = try? store.savedOwnerToken() {
            try? PrivateFile.write(
                Array("\(owner)\n".utf8), to: DataFile.ownerToken.path(in: settings.data))
        }
        let shown = FirstSteps.address(of: port.endpoint)
        let devices = try? store.devices()
        relay.assumeIsolated { relay in
            if let devices { relay.use(devices) }
            relay.onEnd { code in self.loop.post { self.relayEnded(relay, term, code) } }
            relay.begin(server, at: shown, assembly.writer, isDriven: true)
        }
        front.assumeIsolated { $0.lead(relay, term) }
        if let token {
            FirstSteps.show(
                link: nil, device: FirstSteps.text(port.endpoint, token: token, goal: nil),
                in: settings.data, log)
        }
    }

    /// The journal of the relay that has led here has ended.
    private func relayEnded(_ relay: Relay, _ term: LeaseTerm, _ code: ExitCode) {
        let isStopping = state.withLock { $0.isStopping }
        if term.isOver, !isStopping {
            front.assumeIsolated { front in
                // This process may lead again already, with another relay.
                if front.relay == nil || front.relay === relay { front.stepDown() }
            }
        } else {
            exit(code)
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
}

extension ClusterProgram: SettingsReloadable {
    func change(_ settings: Settings) {
        state.withLock { $0.settings = settings }
        loop.post { [front] in
            front.assumeIsolated { $0.change(settings) }
        }
    }
}
