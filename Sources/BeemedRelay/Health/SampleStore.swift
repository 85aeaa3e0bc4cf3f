import BeemedDomain
import RelayTrunk

/// The samples of each rule's days, and held bodies, one file each, in `DATA/health`: what is done
/// with one is done with all. Used by one thread at a time.
extension RelayStore {
    /// Days of which samples are kept: as long as a day may be revised, and one more.
    private static let keptDays: Int64 = 37

    var healthFolder: String { "\(folder)/health" }

    private func path(_ rule: RuleName, _ day: Daystamp) -> String {
        "\(healthFolder)/\(rule)-\(day).json"
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
        guard let bytes = try files.read(path(name, day)) else { return (empty, nil) }
        let partial = SampleSet(for: rule, isPartial: true)
        guard let set = set(in: bytes) else {
            return (partial, isDryRun ? nil : try setAside(bytes, day, replacing: partial, name))
        }
        guard set.meaning == empty.meaning else { return (empty, nil) }
        return (set.days == empty.days ? set : partial, nil)
    }

    /// Copies a damaged file to the quarantine, and then replaces it by a set that says so: a crash
    /// in between must not leave a day without both.
    ///
    /// - Returns: the alarm for a person. Strangers read alarms, too: it does not name the rule.
    private func setAside(
        _ bytes: [UInt8], _ day: Daystamp, replacing partial: SampleSet, _ name: RuleName
    ) throws(DiskError) -> String {
        let copy = "quarantine/health-\(day)-\(UInt64.random(in: 0 ... .max))"
        try files.write(bytes, to: "\(folder)/\(copy)", in: "\(folder)/quarantine")
        try save(partial, of: day, name)
        return "the samples of health data of \(day.dashed) are damaged and set aside as "
            + "\(copy): that day only rises until its whole value comes ('date' and no "
            + "'start', or an export by days); if it is wrong, correct it at Beeminder"
    }

    /// Saves the samples of a day; they are durable when this returns.
    func save(_ set: SampleSet, of day: Daystamp, _ name: RuleName) throws(DiskError) {
        guard let json = set.json else { return }
        try files.write(
            Array("\(CRC32C.of(json.span))\n".utf8) + json, to: path(name, day), in: healthFolder)
    }

    /// The samples in a file; nil when they are damaged. Before them stands their checksum: a number
    /// with a damaged digit is a number.
    private func set(in bytes: [UInt8]) -> SampleSet? {
        let check = bytes.prefix { $0 != 0x7B }
        let json = Array(bytes[check.endIndex...])
        guard Array(check) == Array("\(CRC32C.of(json.span))\n".utf8) else { return nil }
        return SampleSet(json: json)
    }

    /// Removes the samples of days that are too old to be revised.
    func removeOldSamples(before today: Daystamp) {
        let first = today.adding(days: -RelayStore.keptDays)
        removeSamples { RelayStore.parts(of: $0).map { $0.day < first } ?? false }
    }

    func removeSamples(of rule: RuleName) {
        removeSamples { RelayStore.parts(of: $0)?.rule == "\(rule)" }
    }

    /// The rule and the day of a file with samples, as in `walk-20261122.json`.
    private static func parts(of name: String) -> (rule: Substring, day: Daystamp)? {
        guard name.hasSuffix(".json"), let day = Daystamp(String(name.dropLast(5).suffix(8))) else {
            return nil
        }
        return (name.dropLast("-20261122.json".count), day)
    }

    /// Removes all samples and held bodies, as those of a user who has the folder no longer, or
    /// only files with such a name.
    func removeSamples(where isMeant: (String) -> Bool = { _ in true }) {
        for name in files.names(in: healthFolder) where isMeant(name) {
            try? files.remove("\(healthFolder)/\(name)")
        }
    }
}

extension SettingsStorage {
    /// Replaces a file of a folder that is made with the first of its files; it is durable when
    /// this returns.
    func write(_ bytes: [UInt8], to path: String, in folder: String) throws(DiskError) {
        // It is there already as a rule, and needed nowhere else than on a disk.
        if !isShared { try? PrivateFile.makeFolder(folder) }
        try write(bytes, to: path)
    }
}

/// The samples of a rule's day, kept so that a body with some of them adds to the others, and the
/// same ones again add nothing.
struct SampleSet: Codable, Sendable, Equatable {
    /// A sample; the value is in the rule's unit.
    struct Stored: Codable, Sendable, Equatable {
        /// As in `HealthSample`.
        var start: Int64
        var end: Int64
        var source: String
        var kind: String?
        var value: Double
        var role: HealthSample.Role
    }

    /// The meaning of the values: with another rule they are dropped.
    private(set) var meaning: String
    /// The days that they were sorted by; nil for civil days.
    private(set) var days: HealthRule.Days?
    private(set) var samples: [Stored] = []
    /// Whether samples of the day are missing here that were counted before; nil means no. The day
    /// does not become smaller then, until its whole value comes.
    private(set) var isPartial: Bool?

    /// The greatest number of samples of a day.
    static let maxSamples = 2_000
    /// The longest text of a source or kind that is kept, in Unicode scalars.
    fileprivate static let textLength = 100

    init(for rule: HealthRule, isPartial: Bool = false) {
        meaning = rule.meaning
        days = rule.days == .goal ? .goal : nil
        self.isPartial = isPartial ? true : nil
    }

    /// Adds samples of the day. Of one time, source and kind there is one: a sample that covers
    /// others replaces them, as an interval that has grown does, and a part of one that is known
    /// changes nothing. Health Auto Export joins the sources of an interval (`Watch|iPhone`), and
    /// more of them may come: one in common is enough.
    ///
    /// - Parameter aggregate: how the values are combined. A summed value that exceeds the known
    ///   whole day cannot be a part of it, and replaces it.
    /// - Returns: false when there are too many samples for one day.
    mutating func add(
        _ new: [Stored], combining aggregate: Aggregate = .sum
    ) -> Bool {
        let parts = new.filter { $0.role != .day }.total
        if aggregate == .sum, hasWholeDay, parts > samples[0].value { samples = [] }
        // Each is compared with those that are there: to compare more would take seconds.
        guard new.count <= 2 * SampleSet.maxSamples else { return false }
        for sample in new {
            insert(sample)
            guard samples.count <= SampleSet.maxSamples else { return false }
        }
        return true
    }

    /// Whether the only sample is the whole day of all sources.
    private var hasWholeDay: Bool { samples.first?.role == .day }

    /// Adds a sample, unless what is there says more.
    private mutating func insert(_ new: Stored) {
        switch new.role {
        case .day: (samples, isPartial) = ([], nil)
        case .perhapsDay:
            samples.removeAll { $0.start == new.start && $0.role != .day }
            // The whole is not less than its parts.
            if new.value >= samples.total { samples = [] }
        case .dayOfSource: samples.removeAll { $0.source == new.source && $0.role != .day }
        case .sample, .session, .perhapsPart, .visit:
            let isOfSource = { (known: Stored) in
                known.role == .dayOfSource && known.source == new.source
            }
            if samples.contains(where: isOfSource) { return }
        }
        if hasWholeDay { return }
        var same: [Int] = []
        for index in samples.indices where samples[index].isSame(as: new) { same.append(index) }
        let known = same.map { samples[$0] }
        if new.role == .perhapsPart, !known.isEmpty {
            guard new.value > known.total else { return }
        } else if new.role != .session {
            guard known.allSatisfy(new.covers) else { return }
        }
        guard let index = same.first else { return samples.append(new) }
        samples[index] = new
        for other in same.dropFirst().reversed() { samples.remove(at: other) }
    }

    /// The value of the day, rounded to six decimals: senders' sums differ in the last digits each
    /// time. Nil without samples.
    func value(_ aggregate: Aggregate) -> Double? {
        let values = samples.map(\.value)
        guard let last = samples.max(by: { ($0.end, $0.start) < ($1.end, $1.start) }) else {
            return nil
        }
        let sum = values.reduce(0, +)
        let value =
            switch aggregate {
            case .sum: sum
            case .last: last.value
            case .max: values.max() ?? 0
            case .min: values.min() ?? 0
            case .mean: sum / Double(values.count)
            case .count: Double(values.count)
            }
        guard value.magnitude < 1e9 else { return value }
        return (value * 1e6).rounded() / 1e6
    }
}

extension [SampleSet.Stored] {
    fileprivate var total: Double { reduce(0) { $0 + $1.value } }
}

extension SampleSet.Stored {
    init(_ sample: HealthSample, _ value: Double) {
        self.init(
            start: sample.start, end: sample.end,
            source: sample.source.cut(to: SampleSet.textLength),
            kind: sample.kind?.cut(to: SampleSet.textLength), value: value, role: sample.role)
    }

    fileprivate var isMoment: Bool { end <= start }

    /// A moment takes a second.
    private var reach: Int64 { isMoment ? start + 1 : end }

    fileprivate var sources: [Substring] {
        let sources = source.split(separator: "|")
        return sources.isEmpty ? [""] : sources
    }

    fileprivate func covers(_ other: SampleSet.Stored) -> Bool {
        start <= other.start && other.reach <= reach
    }

    /// Whether both may tell of the same: they have time in common, and their kind and source. A
    /// sum over some time without a source is of all sources.
    fileprivate func isSame(as other: SampleSet.Stored) -> Bool {
        let (end, otherEnd) = (reach, other.reach)
        guard start < otherEnd, other.start < end, kind == other.kind else { return false }
        let shared = min(end, otherEnd) - max(start, other.start)
        let isCovered = shared == end - start || shared == otherEnd - other.start
        guard shared > SampleSet.Stored.slack || isCovered else { return false }
        if source == other.source { return true }
        if source.isEmpty || other.source.isEmpty { return !isMoment && !other.isMoment }
        let isJoined = source.utf8.contains(0x7C) || other.source.utf8.contains(0x7C)
        return isJoined && sources.contains { other.sources.contains($0) }
    }

    /// Neighbours overlap by so many seconds at most, since clocks differ.
    private static let slack: Int64 = 60
}
