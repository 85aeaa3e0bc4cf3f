import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The samples of each rule's days, one file each, in `DATA/health`. Used by one thread at a time.
struct SampleStore: Sendable {
    private let folder: String

    /// Days of which samples are kept: as long as a day may be revised, and one more.
    private static let keptDays: Int64 = 37

    private let files: any SettingsStorage

    init(dataFolder: String, files: any SettingsStorage = FolderFiles()) {
        folder = "\(dataFolder)/health"
        self.files = files
    }

    private func path(_ rule: RuleName, _ day: Daystamp) -> String {
        "\(folder)/\(rule)-\(day).json"
    }

    /// The samples of a day; none when there is no file, or when the rule meant something else. A
    /// damaged file is set aside under another name, unless nothing is to be stored.
    ///
    /// - Throws: `DiskError` when the file cannot be read: without its samples the day would become
    ///   smaller, and not every sender sends them again.
    func samples(
        of day: Daystamp, _ name: RuleName, _ rule: HealthRule, isDryRun: Bool = false
    ) throws(DiskError) -> SampleSet {
        let empty = SampleSet(for: rule)
        let path = path(name, day)
        guard let bytes = try files.read(path) else { return empty }
        guard let set = try? JSONDecoder().decode(SampleSet.self, from: Data(bytes)) else {
            if !isDryRun {
                try files.move(path, to: "\(path).damaged-\(UInt32.random(in: 0 ... .max))")
            }
            return empty
        }
        return set.meaning == empty.meaning ? set : empty
    }

    /// Saves the samples of a day; they are durable when this returns.
    func save(_ set: SampleSet, of day: Daystamp, _ name: RuleName) throws(DiskError) {
        guard let data = try? JSONEncoder().encode(set) else { return }
        let path = path(name, day)
        do throws(DiskError) {
            try files.write(Array(data), to: path)
        } catch {
            // The folder is made with the first file.
            guard (try? PrivateFile.makeFolder(folder)) != nil else { throw error }
            try files.write(Array(data), to: path)
        }
    }

    /// Removes the samples of days that are too old to be revised.
    func removeOld(before today: Daystamp) {
        let names = files.names(in: folder)
        for name in names {
            // Also of a damaged file, which has more behind that.
            let end = name.firstRange(of: ".json")?.lowerBound ?? name.endIndex
            let text = name[..<end].suffix(8)
            guard let day = Daystamp(String(text)),
                day < today.adding(days: -SampleStore.keptDays)
            else { continue }
            try? files.remove("\(folder)/\(name)")
        }
    }

    /// Removes the samples of a rule that was removed.
    func removeAll(of rule: RuleName) {
        let names = files.names(in: folder)
        for name in names
        where name.hasPrefix("\(rule)-")
            && name.utf8.count
                == "\(rule)-20260101.json".utf8.count
        {
            try? files.remove("\(folder)/\(name)")
        }
    }
}
