import BeemedDomain
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay journal verify DIR`: reports content, damage and the effect of a start. It changes
/// nothing, and is safe while a relay runs on the folder.
struct JournalCommand: CommandAction {
    let invocation: Invocation

    /// - Returns: `dataError` when the user should check the findings.
    func run() throws(Failure) -> ExitCode {
        if let word = invocation.arguments.words.first, StoreLocation.isMeant(word) {
            return try verify(try StoreLocation.named(word))
        }
        let folder = invocation.arguments.words.first ?? invocation.location().folder
        if let parent = JournalCommand.dataFolder(ofJournal: folder) {
            throw Failure(.usage, "name the data folder, not its journal: journal verify \(parent)")
        }
        let store = RelayStore(folder: folder)
        let isUsed = store.isUsed
        let disk: SystemDisk
        do throws(DiskError) {
            disk = try SystemDisk(dataFolder: folder)
        } catch {
            let past = isUsed ? ", though a relay has been at work there" : ""
            throw Failure.noJournal(in: folder, "\(past): \(error)")
        }
        let verifyReport = try LiveReading.report(
            whileWritten: { DataFolder.holder(of: folder) != nil }
        ) {
            Journal.inspect(
                disk, isUsed: isUsed, known: store.storeName(),
                startBlockers: FolderOwner.startBlockers(at: folder))
        }
        var sentences = verifyReport.sentences
        if let holder = DataFolder.holder(of: folder) {
            let process = holder.split(separator: "\n").first.map { " (process \($0))" } ?? ""
            sentences.append("a relay\(process) is at work on it, so it may change meanwhile")
        }
        return tell(sentences, of: ["folder": folder], isAlarm: verifyReport.isAlarm)
    }

    private func tell(
        _ findings: [String], of source: [String: any Encodable], isAlarm: Bool
    ) -> ExitCode {
        if invocation.wantsJSON {
            let members: [String: any Encodable] = ["alarm": isAlarm, "findings": findings]
            Console.json(members.merging(source) { $1 })
        } else {
            for sentence in findings { Console.output(sentence) }
        }
        return isAlarm ? .dataError : .ok
    }

    /// The data folder, if its folder `journal` is named in its place.
    private static func dataFolder(ofJournal path: String) -> String? {
        let folder = URL(fileURLWithPath: path)
        guard folder.lastPathComponent == StoredFile.Folder.journal.rawValue else { return nil }
        let parent = folder.deletingLastPathComponent().path
        return RelayStore(folder: parent).isUsed ? parent : nil
    }

    /// The journal of a cluster, also while a relay leads it.
    private func verify(_ location: StoreLocation) throws(Failure) -> ExitCode {
        var report: StoreReport?
        for leaf in invocation.leaves where report == nil {
            report = try leaf.inspect?(invocation, location)
        }
        guard let report else {
            throw Failure(
                .noInput, "there is no journal '\(location.name)' in etcd, or etcd does not answer")
        }
        return tell(
            report.sentences, of: ["store": location.name], isAlarm: report.isDamage)
    }
}
