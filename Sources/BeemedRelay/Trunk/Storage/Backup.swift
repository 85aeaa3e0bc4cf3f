package import BeemedDomain
import Foundation

/// A consistent copy of a data folder, with or without a relay running on it.
///
/// A running relay replaces small files atomically, and keeps the segments that it retired last: so
/// files copied one by one are consistent if the journal is copied before the history, to which
/// segments move from the journal. The newest segment is written during the copy, which may look
/// like damage: then both are copied again.
package struct Backup {
    private let source: String
    private let target: String

    /// A copy to a folder that does not exist yet.
    package init(of source: String, to target: String) {
        self.source = source
        self.target = target
    }

    /// Makes the copy, durable and readable only by its owner, and verifies it.
    package func make() throws(Failure) -> VerifyReport {
        try onDisk(
            PrivateFile.makeFolder(target), orFail: .osError, "\(target) cannot be made")
        do throws(Failure) {
            let report = try LiveReading.report(whileWritten: { true }, copyJournal)
            for folder in ["quarantine", "health"] { try copy(folder: folder) }
            // Temporary files and the lock belong to a process.
            for name in try names("")
            where name != DataFile.lock.rawValue && !name.hasSuffix(".tmp") { try copy(name) }
            try sync(target)
            return report
        } catch {
            try? FileManager.default.removeItem(atPath: target)
            throw error
        }
    }

    /// Copies the journal and then the history, instead of earlier copies, and verifies that.
    private func copyJournal() throws(Failure) -> VerifyReport {
        for folder in ["journal", "history"] {
            try? FileManager.default.removeItem(atPath: "\(target)/\(folder)")
            try copy(folder: folder)
        }
        let disk = try onDisk(
            SystemDisk(dataFolder: target), orFail: .ioError, "\(target) cannot be copied")
        return Journal.inspect(disk, known: RelayStore(folder: source).storeName())
    }

    private func copy(folder: String) throws(Failure) {
        try onDisk(
            PrivateFile.makeFolder("\(target)/\(folder)"), orFail: .ioError,
            "\(folder) cannot be copied")
        let isJournal = folder == "journal"
        let names = try names(folder).filter {
            isJournal ? $0.hasSuffix(".jnl") : !$0.hasSuffix(".tmp")
        }
        for name in names {
            // A partial line at the end is being written, and was not acknowledged yet.
            try copy("\(folder)/\(name)", cutsTail: isJournal && name == names.last)
        }
        try sync("\(target)/\(folder)")
    }

    /// The files of a folder; subfolders and links do not belong to a store.
    private func names(_ folder: String) throws(Failure) -> [String] {
        let path = folder.isEmpty ? source : "\(source)/\(folder)"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            if folder.isEmpty || folder == "journal" {
                throw Failure.noJournal(in: source)
            }
            return []
        }
        return names.sorted().filter { PrivateFile.size(of: "\(path)/\($0)") != nil }
    }

    /// Copies a file; one that a relay has removed meanwhile was superseded, and is no error.
    private func copy(_ name: String, cutsTail: Bool = false) throws(Failure) {
        do throws(DiskError) {
            try PrivateFile.copy("\(source)/\(name)", to: "\(target)/\(name)", cutsTail: cutsTail)
        } catch {
            guard error.operation != "copy.open" || !error.isMissing else { return }
            throw Failure(.ioError, "\(name) cannot be copied: \(error)")
        }
    }

    private func sync(_ folder: String) throws(Failure) {
        try onDisk(
            PrivateFile.syncFolder(of: "\(folder)/."), orFail: .ioError,
            "\(folder) cannot be copied")
    }
}

/// Reads a journal that a relay may write meanwhile. The read contents need not be those of any one
/// time: a file may be retired, or be written where it was read already. So damage counts only when
/// it is found again and again.
package enum LiveReading {
    /// The most attempts to read what changes meanwhile.
    static let attempts = 5

    /// The report of reading the whole journal, on which a relay may be at work.
    package static func report(
        whileWritten mayChange: () -> Bool, _ read: () throws(Failure) -> VerifyReport
    ) throws(Failure) -> VerifyReport {
        for _ in 1..<attempts {
            // Before and after: the relay may start or stop meanwhile.
            let mayHaveChanged = mayChange()
            let report = try read()
            let isDamaged =
                report.recoveryReport?.isDamage ?? true || !report.pastDamage.isEmpty
            if !isDamaged || !(mayHaveChanged || mayChange()) { return report }
        }
        return try read()
    }
}
