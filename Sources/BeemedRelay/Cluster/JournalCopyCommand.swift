import BeemedDomain
import RelayTrunk

extension Invocation {
    /// The gateway of a store that the command line names. It asks every member twice.
    func gateway(of location: StoreLocation) throws(Failure) -> EtcdGateway {
        var cluster = settings.cluster
        cluster.store = location
        return EtcdGateway(
            location, password: try cluster.password(), seconds: 10,
            tries: 2 * location.members.count)
    }
}

/// `beemed-relay journal copy FROM TO`: moves a journal and the settings from a data folder into
/// etcd, or back. No relay may use either.
struct JournalCopyCommand: CommandAction {
    let invocation: Invocation

    /// The settings that belong to the store, and not to a machine.
    private static let names = DataFile.allCases.filter(\.isShared).map(\.rawValue)

    func run() throws(Failure) -> ExitCode {
        let words = invocation.arguments.words
        switch (StoreLocation.isMeant(words[0]), StoreLocation.isMeant(words[1])) {
        case (false, true): try upload(words[0], try .named(words[1]))
        case (true, false): try download(try .named(words[0]), words[1])
        default:
            throw Failure(
                .usage, "one of both is a folder, the other one etcd://HOST:PORT,HOST:PORT/NAME")
        }
        return .ok
    }

    private func upload(_ folder: String, _ location: StoreLocation) throws(Failure) {
        guard RelayStore(folder: folder).isUsed else {
            throw Failure(.noInput, "\(folder) is not a data folder of a relay")
        }
        let locked = try RelayFolder(folder)
        defer { locked.folder.release() }
        let store = try invocation.gateway(of: location)
        let count: Int
        let settings = try settings(of: folder)
        do throws(StoreFault) {
            count = try StoreCopy.upload(
                try disk(folder), known: locked.store.storeName(), orElse: RelayStore.newName,
                to: store, location.keys, with: settings)
        } catch { throw Failure(.dataError, error.words) }
        mark(locked.store, movedTo: invocation.arguments.words[1])
        Console.output(
            "\(count) events are in etcd now, and the settings of \(folder); a relay that is "
                + "started there without --store refuses from now on")
    }

    /// The settings of a data folder.
    private func settings(of folder: String) throws(Failure) -> [(name: String, bytes: [UInt8])] {
        let health = PrivateFile.names(in: "\(folder)/health").map { "health/\($0)" }
        var settings: [(name: String, bytes: [UInt8])] = []
        for name in JournalCopyCommand.names + health {
            let path = "\(folder)/\(name)"
            let bytes = try onDisk(
                PrivateFile.read(path), orFail: .ioError, "cannot read \(path)")
            if let bytes { settings.append((name, bytes)) }
        }
        return settings
    }

    /// Whether a file of the store may be written into a data folder: whoever can write to etcd
    /// must not choose a place outside of it.
    private static func isSetting(_ name: String) -> Bool {
        let sample = name.hasPrefix("health/") ? name.dropFirst("health/".count) : ""
        return names.contains(name)
            || !sample.isEmpty && !sample.hasPrefix(".") && !sample.contains("/")
    }

    private func download(_ location: StoreLocation, _ folder: String) throws(Failure) {
        let locked = try RelayFolder(folder)
        defer { locked.folder.release() }
        guard !locked.store.isUsed, locked.store.isNew else {
            throw Failure(.dataError, "\(folder) was used by a relay; name a new folder")
        }
        let store = try invocation.gateway(of: location)
        let count: Int
        do throws(StoreFault) {
            count = try StoreCopy.download(
                store, location.keys, to: try disk(folder), at: SystemClock.wall())
        } catch { throw Failure(.dataError, error.words) }
        do throws(StoreFault) {
            for entry in try store.get(location.keys.settings, limit: .max) {
                let name = location.keys.settingName(entry.key)
                guard JournalCopyCommand.isSetting(name) else {
                    Console.error("'\(name)' is not a setting of a relay, and was left out")
                    continue
                }
                do throws(DiskError) {
                    if name.hasPrefix("health/") {
                        try? PrivateFile.makeFolder("\(folder)/health")
                    }
                    try PrivateFile.write(entry.value, to: "\(folder)/\(name)")
                } catch { throw .refused("\(name): \(error)") }
            }
        } catch { throw Failure(.ioError, "the settings could not be copied: \(error)") }
        mark(locked.store, movedTo: nil)
        Console.output("\(count) events are in \(folder) now, and the settings")
    }

    private func mark(_ store: RelayStore, movedTo target: String?) {
        do throws(DiskError) { try store.markMoved(to: target) } catch {
            Console.error("\(DataFile.movedTo.path(in: store.folder)): \(error)")
        }
    }

    private func disk(_ folder: String) throws(StoreFault) -> SystemDisk {
        do throws(DiskError) {
            return try SystemDisk(dataFolder: folder)
        } catch { throw .unusable("\(folder): \(error)") }
    }
}
