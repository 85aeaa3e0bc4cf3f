package import BeemedDomain
import Foundation

/// A consistent copy of a data folder, with or without a relay running on it.
///
/// A running relay replaces small files atomically, and keeps the segments that it retired last: so
/// files copied one by one are consistent if the journal is copied before the history, to which
/// segments move from the journal. The newest segment is written during the copy, which may look
/// like damage: then the journal is copied again.
package struct Backup {
    private let source: String
    private let target: String

    /// - Parameter target: a folder that does not exist yet.
    package init(of source: String, to target: String) {
        self.source = source
        self.target = target
    }

    /// Makes the copy, durable and readable only by its owner.
    ///
    /// - Returns: the verification of the copy.
    /// - Throws: `Failure`; the incomplete copy is removed.
    package func make() throws(Failure) -> VerifyReport {
        try onDisk(
            PrivateFile.makeFolder(target), orFail: .osError, "\(target) cannot be made")
        do throws(Failure) {
            try copyJournal()
            for folder in ["history", "quarantine", "health"] { try copy(folder: folder) }
            // Temporary files and the lock belong to a process.
            for name in try names("")
            where name != DataFile.lock.rawValue && !name.hasSuffix(".tmp") { try copy(name) }
            try sync(target)
            return try inspect()
        } catch {
            try? FileManager.default.removeItem(atPath: target)
            throw error
        }
    }

    private func copyJournal() throws(Failure) {
        _ = try LiveReading.report(whileWritten: { true }) { () throws(Failure) in
            var tries = 1
            while try !copySegments() {
                guard tries < LiveReading.attempts else {
                    throw Failure(
                        .tempFail, "the journal changes faster than it is copied; try again")
                }
                tries += 1
            }
            try sync("\(target)/journal")
            return try inspectOnce()
        }
    }

    /// - Returns: false when a segment was replaced meanwhile, so that all are to be listed again.
    private func copySegments() throws(Failure) -> Bool {
        try? FileManager.default.removeItem(atPath: "\(target)/journal")
        try makeFolder("journal")
        let segments = try names("journal").filter { $0.hasSuffix(".jnl") }.sorted()
        for name in segments {
            // A partial line at the end is being written, and was not acknowledged yet.
            guard try copy("journal/\(name)", cutsTail: name == segments.last) else {
                return false
            }
        }
        return true
    }

    /// Verifies the copy with its history. Apparent damage there may be a file that was written
    /// during the copy, and is copied again.
    private func inspect() throws(Failure) -> VerifyReport {
        for _ in 1..<LiveReading.attempts {
            let report = try inspectOnce()
            guard !report.pastDamage.isEmpty else { return report }
            try? FileManager.default.removeItem(atPath: "\(target)/history")
            try copy(folder: "history")
        }
        return try inspectOnce()
    }

    private func inspectOnce() throws(Failure) -> VerifyReport {
        let disk = try onDisk(
            SystemDisk(dataFolder: target), orFail: .ioError, "\(target) cannot be copied")
        return Journal.inspect(disk, known: RelayStore(folder: source).storeName())
    }

    private func copy(folder: String) throws(Failure) {
        try makeFolder(folder)
        for name in try names(folder) where !name.hasSuffix(".tmp") {
            try copy("\(folder)/\(name)")
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
    ///
    /// - Returns: whether the file was there.
    @discardableResult
    private func copy(_ name: String, cutsTail: Bool = false) throws(Failure) -> Bool {
        do throws(DiskError) {
            try PrivateFile.copy("\(source)/\(name)", to: "\(target)/\(name)", cutsTail: cutsTail)
            return true
        } catch {
            guard error.operation != "copy.open" || !error.isMissing else { return false }
            throw Failure(.ioError, "\(name) cannot be copied: \(error)")
        }
    }

    private func makeFolder(_ name: String) throws(Failure) {
        let path = "\(target)/\(name)"
        try onDisk(PrivateFile.makeFolder(path), orFail: .ioError, "\(name) cannot be copied")
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

    /// - Parameters:
    ///   - mayChange: whether a relay is at work on the journal.
    ///   - read: reads the whole journal, with the list of its files.
    package static func report(
        whileWritten mayChange: () -> Bool, _ read: () throws(Failure) -> VerifyReport
    ) throws(Failure) -> VerifyReport {
        for _ in 1..<attempts {
            // Before and after: the relay may start or stop meanwhile.
            let mayHaveChanged = mayChange()
            let report = try read()
            let isDamaged = report.recoveryReport?.isDamage ?? true
            if !isDamaged || !(mayHaveChanged || mayChange()) { return report }
        }
        return try read()
    }
}
