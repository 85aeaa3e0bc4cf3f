import BeemedDomain

/// The samples of a rule's day, kept so that a body with some of them adds to the others, and the
/// same ones again add nothing.
struct SampleSet: Codable, Sendable, Equatable {
    /// One sample; the value is in the rule's unit.
    struct Stored: Codable, Sendable, Equatable {
        /// As in `SampleSpan`.
        var start: Int64
        var end: Int64
        var source: String
        var kind: String?
        var value: Double
        /// Whether it is the whole day of its source.
        var isTotal: Bool?
        /// Whether it is the whole day of all sources.
        var isDay: Bool?
        /// As in `HealthSample`.
        var grouping: String?
    }

    /// There are too many samples for one day.
    struct Full: Error {}

    /// The meaning of the values: with another rule they are dropped.
    private(set) var meaning: String
    private(set) var samples: [Stored] = []

    /// The greatest number of samples of a day.
    static let most = 2_000
    /// The longest text of a source or kind that is kept, in Unicode scalars.
    private static let textLength = 100

    /// A set without samples.
    init(for rule: HealthRule) { meaning = rule.meaning }

    private static func cut(_ text: String) -> String { text.cut(to: textLength) }

    /// Adds samples of the day; a sample of the same start, source and kind is replaced, since an
    /// interval that grows is sent again with a later end. Health Auto Export joins the sources of
    /// an interval (`Watch|iPhone`), and more of them may come: one in common is enough. What was
    /// grouped otherwise at the same time, or is a whole day, is replaced, too.
    ///
    /// - Throws: `Full`.
    mutating func add(_ new: [(sample: HealthSample, value: Double)]) throws(Full) {
        var places = Places()
        let groups = SampleGroups(new.map(\.sample))
        for sample in samples where !groups.replaces(sample) { places.put(sample) }
        for (sample, value) in new {
            let stored = Stored(
                start: sample.span.start, end: sample.span.end,
                source: SampleSet.cut(sample.source), kind: sample.kind.map(SampleSet.cut),
                value: value,
                isTotal: sample.role == .dayOfSource ? true : nil,
                isDay: sample.isCertainlyDay ? true : nil, grouping: sample.grouping)
            switch sample.role {
            case .day: places = Places()
            case .dayOfSource: places.remove(source: stored.source)
            case .sample:
                if places.hasTotal(of: stored.source) { continue }
                places.removeDay()
            }
            if sample.isSession { places.remove(overlapping: stored) }
            places.put(stored)
            guard places.count <= SampleSet.most else { throw Full() }
        }
        samples = places.samples
    }

    /// One source of a sample.
    private struct Key: Hashable {
        var start: Int64
        var source: Substring
        var kind: String?

        static func all(of sample: Stored) -> [Key] {
            let sources = sample.source.split(separator: "|")
            return (sources.isEmpty ? [""] : sources).map {
                Key(start: sample.start, source: $0, kind: sample.kind)
            }
        }
    }

    /// The samples while some are added, each in the place where it came first. A body may have as
    /// many as it likes, so that none of these looks at all samples, but for sessions: at those of
    /// one source.
    private struct Places {
        /// Nil in the place of a sample that was removed.
        private var list: [Stored?] = []
        private var byKey: [Key: Int] = [:]
        private var bySource: [String: Set<Int>] = [:]
        private var totals: Set<String> = []
        private var day: Int?

        private(set) var count = 0

        var samples: [Stored] { list.compactMap(\.self) }

        func hasTotal(of source: String) -> Bool { totals.contains(source) }

        /// Adds a sample, in the place of those that it replaces.
        mutating func put(_ sample: Stored) {
            let keys = Key.all(of: sample)
            let replaced = Set(keys.compactMap { byKey[$0] })
            for place in replaced { remove(at: place) }
            let place = replaced.min() ?? list.count
            if place == list.count { list.append(nil) }
            list[place] = sample
            count += 1
            if sample.isTotal == true { totals.insert(sample.source) }
            if sample.isDay == true { day = place }
            bySource[sample.source, default: []].insert(place)
            for key in keys { byKey[key] = place }
        }

        mutating func remove(source: String) {
            for place in bySource[source] ?? [] { remove(at: place) }
        }

        /// Removes the whole day of all sources.
        mutating func removeDay() {
            if let day { remove(at: day) }
        }

        /// Removes the sessions of the same source and kind that have a time in common with one.
        mutating func remove(overlapping session: Stored) {
            for place in bySource[session.source] ?? [] {
                guard let other = list[place], other.kind == session.kind,
                    other.start < session.end, session.start < other.end
                else { continue }
                remove(at: place)
            }
        }

        private mutating func remove(at place: Int) {
            guard let sample = list[place] else { return }
            list[place] = nil
            count -= 1
            if sample.isTotal == true { totals.remove(sample.source) }
            if day == place { day = nil }
            bySource[sample.source]?.remove(place)
            for key in Key.all(of: sample) { byKey[key] = nil }
        }
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

/// The times of new samples that come in groups, as hours or minutes: what is stored of another
/// grouping is replaced where both have a time in common.
private struct SampleGroups {
    private let grouping: String?
    /// The starts, sorted.
    private let starts: [Int64]

    init(_ samples: [HealthSample]) {
        grouping = samples.first?.grouping
        starts = grouping == nil ? [] : samples.map(\.span.start).sorted()
    }

    func replaces(_ stored: SampleSet.Stored) -> Bool {
        guard let grouping, let other = stored.grouping, other != grouping else { return false }
        let own = SampleGroups.seconds(grouping)
        // The first one that ends after the stored one begins.
        let place = starts.partitioningIndex { $0 + own > stored.start }
        return place < starts.count && starts[place] < stored.start + SampleGroups.seconds(other)
    }

    /// The seconds of one group. A sample without grouping is a moment.
    private static func seconds(_ grouping: String) -> Int64 {
        switch grouping.prefix(2) {
        case "mi": 60
        case "ho": 3_600
        case "da": 86_400
        default: 1
        }
    }
}
