import BeemedDomain
import Foundation

/// `beemed-relay journal copy FROM TO`: moves a journal and the settings from a data folder into
/// etcd, or back. No relay may use either.
struct JournalCopyCommand {
    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    /// The settings that belong to the store, and not to a machine.
    private static let names = [
        "devices.json", "presets.json", "rules.json", "reminders.json", "pins.json",
        "sessions.json", "owner-token", "owner-generation",
    ]

    func run() throws(Failure) -> ExitCode {
        let words = invocation.arguments.words
        guard words.count == 2 else { throw Failure(.usage, "name where from, and where to") }
        switch (StoreLocation(words[0]), StoreLocation(words[1])) {
        case (nil, let location?): try upload(words[0], location)
        case (let location?, nil): try download(location, words[1])
        default:
            throw Failure(
                .usage, "one of both is a folder, the other one etcd://HOST:PORT,HOST:PORT/NAME")
        }
        return .ok
    }

    private func gateway(_ location: StoreLocation) throws(Failure) -> EtcdGateway {
        var cluster = invocation.settings.cluster
        cluster.store = location
        return EtcdGateway(location, password: try cluster.password(), seconds: 10)
    }

    private func upload(_ folder: String, _ location: StoreLocation) throws(Failure) {
        guard RelayStore(folder: folder).isUsed else {
            throw Failure(.noInput, "\(folder) is no data folder of a relay")
        }
        let locked = try RelayFolder(folder)
        defer { locked.folder.release() }
        let store = try gateway(location)
        let count: Int
        do throws(StoreCopy.Fault) {
            count = try StoreCopy.upload(
                try disk(folder), known: locked.store.storeName(), orElse: UUID().uuidString,
                to: store, location.keys)
        } catch { throw Failure(.dataError, error.words) }
        let health = PrivateFile.names(in: "\(folder)/health").map { "health/\($0)" }
        for name in JournalCopyCommand.names + health {
            guard let bytes = try? PrivateFile.read("\(folder)/\(name)") else { continue }
            let key = location.keys.setting(name)
            let transaction = Transaction(
                if: [.createRevision(of: location.keys.leader, is: 0)], then: [.put(key, bytes)])
            guard (try? store.commit(transaction))?.isSuccess == true else {
                throw Failure(.ioError, "\(name) could not be written to etcd; copy again")
            }
        }
        Console.output("\(count) events are in etcd now, and the settings of \(folder)")
    }

    private func download(_ location: StoreLocation, _ folder: String) throws(Failure) {
        let locked = try RelayFolder(folder)
        defer { locked.folder.release() }
        let store = try gateway(location)
        let count: Int
        do throws(StoreCopy.Fault) {
            count = try StoreCopy.download(store, location.keys, to: try disk(folder))
        } catch { throw Failure(.dataError, error.words) }
        do throws(KeyValueFault) {
            for entry in try store.get(location.keys.settings, limit: .max) {
                let name = location.keys.settingName(entry.key)
                do throws(DiskError) {
                    if name.hasPrefix("health/") {
                        try? PrivateFile.makeFolder("\(folder)/health")
                    }
                    try PrivateFile.write(entry.value, to: "\(folder)/\(name)")
                } catch { throw .refused("\(name): \(error)") }
            }
        } catch { throw Failure(.ioError, "the settings could not be copied: \(error)") }
        Console.output("\(count) events are in \(folder) now, and the settings")
    }

    private func disk(_ folder: String) throws(StoreCopy.Fault) -> SystemDisk {
        do throws(DiskError) {
            return try SystemDisk(dataFolder: folder)
        } catch { throw StoreCopy.Fault(words: "\(folder): \(error)") }
    }
}
