import BeemedDomain
import Foundation

/// A copy of a data folder that a start accepts, made whether a relay works on the folder or not.
///
/// A running relay only appends to its newest segment, replaces small files whole, and leaves the
/// segments of its last rewrite in place: so files read one after the other fit together if the
/// journal is read before the history, to which events go when they leave the journal.
struct Backup {
    private let source: String
    private let place: String

    /// How often the journal is copied anew when a relay has rewritten it meanwhile.
    private static let attempts = 5

    /// - Parameter place: a folder that does not exist yet.
    init(of source: String, to place: String) {
        self.source = source
        self.place = place
    }

    /// Makes the copy, durable and for nobody else to read.
    ///
    /// - Returns: what is in it.
    /// - Throws: `Failure`; then nothing is left of it.
    func make() throws(Failure) -> VerifyReport {
        do throws(DiskError) {
            try PrivateFile.makeFolder(place)
        } catch {
            throw Failure(.osError, "\(place) cannot be made: \(error)")
        }
        do throws(Failure) {
            let verifyReport = try copyJournal()
            for folder in ["history", "quarantine"] { try copy(folder: folder) }
            for name in try names("") where name != "lock" && !name.hasSuffix(".tmp") {
                try copy(name)
            }
            try sync(place)
            return verifyReport
        } catch {
            try? FileManager.default.removeItem(atPath: place)
            throw error
        }
    }

    private func copyJournal() throws(Failure) -> VerifyReport {
        let known = RelayStore(folder: source).storeName()
        for attempt in 1... {
            try? FileManager.default.removeItem(atPath: "\(place)/journal")
            try makeFolder("journal")
            let segments = try names("journal").filter { $0.hasSuffix(".jnl") }.sorted()
            for name in segments {
                // Half a line at the end is being written: nobody was promised it yet.
                try copy("journal/\(name)", cutsTail: name == segments.last)
            }
            try sync("\(place)/journal")
            let disk: SystemDisk
            do throws(DiskError) {
                disk = try SystemDisk(dataFolder: place)
            } catch { throw failure(place, error) }
            let verifyReport = Journal.inspect(disk, known: known)
            if attempt == Backup.attempts { return verifyReport }
            if let recoveryReport = verifyReport.recoveryReport, !recoveryReport.isDamage {
                return verifyReport
            }
        }
        preconditionFailure("the last attempt returns")
    }

    private func copy(folder: String) throws(Failure) {
        try makeFolder(folder)
        for name in try names(folder) where !name.hasSuffix(".tmp") {
            try copy("\(folder)/\(name)")
        }
        try sync("\(place)/\(folder)")
    }

    /// The files of a folder; folders and links in it are no part of a store.
    private func names(_ folder: String) throws(Failure) -> [String] {
        let path = folder.isEmpty ? source : "\(source)/\(folder)"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            if folder.isEmpty || folder == "journal" {
                throw Failure(.noInput, "\(source) holds no journal")
            }
            return []
        }
        return names.sorted().filter { name in
            let kind = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.type]
            return kind as? FileAttributeType == .typeRegular
        }
    }

    /// Copies a file; one that a relay has removed meanwhile is superseded and not missed.
    private func copy(_ name: String, cutsTail: Bool = false) throws(Failure) {
        do throws(DiskError) {
            try PrivateFile.copy("\(source)/\(name)", to: "\(place)/\(name)", cutsTail: cutsTail)
        } catch {
            throw failure(name, error)
        }
    }

    private func makeFolder(_ name: String) throws(Failure) {
        do throws(DiskError) {
            try PrivateFile.makeFolder("\(place)/\(name)")
        } catch { throw failure(name, error) }
    }

    private func sync(_ folder: String) throws(Failure) {
        do throws(DiskError) {
            try PrivateFile.syncFolder(of: "\(folder)/.")
        } catch { throw failure(folder, error) }
    }

    private func failure(_ name: String, _ error: DiskError) -> Failure {
        Failure(.ioError, "\(name) cannot be copied: \(error)")
    }
}
