import BeemedDomain
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The samples of each rule's days, and held bodies, one file each, in `DATA/health`: what is done
/// with one is done with all. Used by one thread at a time.
struct SampleStore: Sendable {
    let folder: String
    let files: any SettingsStorage
    private let quarantine: String

    /// Days of which samples are kept: as long as a day may be revised, and one more.
    private static let keptDays: Int64 = 37

    init(dataFolder: String, files: any SettingsStorage = FolderFiles()) {
        folder = "\(dataFolder)/health"
        quarantine = "\(dataFolder)/quarantine"
        self.files = files
    }

    private func path(_ rule: RuleName, _ day: Daystamp) -> String {
        "\(folder)/\(rule)-\(day).json"
    }

    /// The samples of a day; none when there is no file, or when the rule meant something else. A
    /// damaged file is set aside, unless nothing is to be stored. Its samples are then missing, as
    /// they are when the rule sorts samples by other days now: such a set says so.
    ///
    /// - Returns: the set, and the alarm for a person; nil when the samples are sound.
    /// - Throws: `DiskError` when the file cannot be read or set aside: without its samples the day
    ///   would become smaller, and not every sender sends them again.
    func samples(
        of day: Daystamp, _ name: RuleName, _ rule: HealthRule, isDryRun: Bool = false
    ) throws(DiskError) -> (set: SampleSet, alarm: String?) {
        let empty = SampleSet(for: rule)
        let path = path(name, day)
        guard let bytes = try files.read(path) else { return (empty, nil) }
        let partial = SampleSet(for: rule, isPartial: true)
        guard let set = set(in: bytes) else {
            var alarm: String?
            if !isDryRun { alarm = try setAside(path, day, replacing: partial, name) }
            return (partial, alarm)
        }
        guard set.meaning == empty.meaning else { return (empty, nil) }
        return (set.days == empty.days ? set : partial, nil)
    }

    /// Copies a damaged file to the quarantine, and then replaces it by a set that says so: a crash
    /// in between must not leave a day without both.
    ///
    /// - Returns: the alarm for a person. Strangers read alarms, too: it does not name the rule.
    private func setAside(
        _ path: String, _ day: Daystamp, replacing partial: SampleSet, _ name: RuleName
    ) throws(DiskError) -> String {
        let copy = "health-\(day)-\(UInt64.random(in: 0 ... .max))"
        let bytes = try files.read(path) ?? []
        try files.write(bytes, to: "\(quarantine)/\(copy)", in: quarantine)
        try save(partial, of: day, name)
        return "the samples of health data of \(day.dashed) are damaged and set aside as "
            + "quarantine/\(copy): that day only rises until its whole value comes ('date' and no "
            + "'start', or an export by days); if it is wrong, correct it at Beeminder"
    }

    /// Saves the samples of a day; they are durable when this returns.
    func save(_ set: SampleSet, of day: Daystamp, _ name: RuleName) throws(DiskError) {
        guard let data = try? JSONEncoder().encode(set) else { return }
        let json = Array(data)
        try files.write(
            Array("\(CRC32C.of(json.span))\n".utf8) + json, to: path(name, day), in: folder)
    }

    /// The samples in a file; nil when they are damaged. Before them stands their checksum, but in
    /// files of earlier versions: a number with a damaged digit is a number.
    private func set(in bytes: [UInt8]) -> SampleSet? {
        let check = bytes.prefix { $0 != 0x7B }
        let json = Array(bytes[check.endIndex...])
        guard check.isEmpty || Array(check) == Array("\(CRC32C.of(json.span))\n".utf8) else {
            return nil
        }
        return try? JSONDecoder().decode(SampleSet.self, from: Data(json))
    }

    /// Removes the samples of days that are too old to be revised.
    func removeOld(before today: Daystamp) {
        let first = today.adding(days: -SampleStore.keptDays)
        remove { SampleStore.day(of: $0).map { $0 < first } ?? false }
    }

    /// Removes all samples: they are of a user who has the folder no longer.
    func removeAll() { remove { _ in true } }

    /// Removes the samples of a rule that was removed.
    func removeAll(of rule: RuleName) {
        remove {
            $0.dropLast(SampleStore.endLetters) == "\(rule)" && SampleStore.day(of: $0) != nil
        }
    }

    private static let endLetters = "-20260101.json".count

    /// The day of a file with samples.
    private static func day(of name: String) -> Daystamp? {
        name.hasSuffix(".json") ? Daystamp(String(name.dropLast(5).suffix(8))) : nil
    }

    private func remove(where isMeant: (String) -> Bool) {
        for name in files.names(in: folder) where isMeant(name) {
            try? files.remove("\(folder)/\(name)")
        }
    }
}

extension SettingsStorage {
    /// Replaces a file of a folder that is made with the first of its files; it is durable when
    /// this returns.
    func write(_ bytes: [UInt8], to path: String, in folder: String) throws(DiskError) {
        do throws(DiskError) {
            try write(bytes, to: path)
        } catch {
            guard (try? PrivateFile.makeFolder(folder)) != nil else { throw error }
            try write(bytes, to: path)
        }
    }
}
