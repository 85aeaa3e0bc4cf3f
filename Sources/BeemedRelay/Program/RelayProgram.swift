import BeemedDomain
import RelayHTTP
import RelayTrunk
import Synchronization

/// A complete relay: folder, journal, core, loop, server.
final class RelayProgram: Sendable {
    private let folder: RelayFolder
    private let loop: Loop
    private let assembly: RelayAssembly
    private let server: Server
    private let exitCode = Mutex(ExitCode.ok)

    /// Recovers the journal and creates all parts.
    init(
        _ settings: Settings, _ folder: RelayFolder, account: Account?, leaves: [Leaf],
        on loop: Loop, log: Log, timeouts: Timeouts = Timeouts()
    ) throws(Failure) {
        (self.folder, self.loop) = (folder, loop)
        let descriptors = DescriptorLimit.raise()
        assembly = try RelayAssembly(
            settings, folder.store, try RelayProgram.open(settings, folder.store),
            account: account, leaves: leaves, on: loop, log: log)
        let limits = settings.limits(descriptors: descriptors, timeouts: timeouts)
        server = Server(on: loop, limits: limits, assembly.relay.application)
    }

    var relay: Relay { assembly.relay }

    /// Begins to listen on the socket, and to deliver.
    func listen(on port: OpenPort) -> Endpoint {
        let endpoint = server.listen(on: port)
        folder.announce(endpoint)
        loop.post { [self] in
            assembly.begin(server, at: endpoint) { code in
                self.exitCode.withLock { $0 = code }
                self.loop.stop()
            }
        }
        return endpoint
    }

    /// A link that signs a browser in as the owner, once. Must be called before the loop runs.
    func ownerLink() -> String {
        var links = OneTimeSecrets.links
        let path = links.offerLink(at: SystemClock.moment().monotonic)
        let offered = links
        loop.post { [relay] in relay.assumeIsolated { $0.access.links = offered } }
        return path
    }

    /// Takes the address before anything is created or read: when it is in use, nothing has
    /// happened. That another relay uses the folder is the better reason.
    static func open(
        _ settings: Settings, orElseAnywhere: Bool = false
    ) throws(Failure) -> OpenPort {
        if let holder = DataFolder.holder(of: settings.data) {
            throw RelayFolder.inUse(by: holder, settings.data)
        }
        do throws(ListenError) { return try OpenPort(settings.listen) } catch {
            let anywhere = Endpoint(settings.listen.address, port: 0)
            if orElseAnywhere, let port = try? OpenPort(anywhere) { return port }
            throw Failure(.unavailable, "\(error), as in --listen HOST:PORT")
        }
    }

    func change(_ settings: Settings) {
        loop.post { [relay] in relay.assumeIsolated { $0.change(settings) } }
    }

    /// Runs until the process is asked to end, also by SIGHUP if nobody rereads the settings.
    func run(reread: (@Sendable () -> Void)? = nil) -> ExitCode {
        Signals.watch(reread: reread) { self.stop() }
        return turn()
    }

    func stop() {
        loop.post { [relay] in relay.assumeIsolated { $0.shutDown() } }
    }

    /// Runs on this thread until `stop()` or until the disk fails.
    func turn() -> ExitCode {
        loop.run()
        folder.folder.release()
        return exitCode.withLock { $0 }
    }

    private static func open(
        _ settings: Settings, _ store: RelayStore
    ) throws(Failure) -> RelayAssembly.Opened {
        if let target = try store.movedTo() {
            throw Failure(
                .config,
                "the journal of \(settings.data) was moved to \(target): start with "
                    + "'--store \(target)', or move it back with 'beemed-relay journal copy'")
        }
        let words = "the journal of \(settings.data) cannot be opened"
        let disk = try onDisk(SystemDisk(dataFolder: settings.data), orFail: .ioError, words)
        do throws(JournalOpenError) {
            return try Journal.open(
                disk, store: RelayStore.newName, time: SystemClock.wall(), isUsed: store.isUsed,
                known: store.storeName())
        } catch {
            let why = "\(words): \(error.words)"
            if case .disk = error { throw Failure(.ioError, why) }
            throw Failure(.config, "\(why); nothing was touched")
        }
    }
}
