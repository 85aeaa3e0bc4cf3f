import BeemedDomain
import RelayTrunk

/// A sample of a metric, or the total of a day, as sent. Its texts are bounded: they are compared
/// with those of every rule, also on the loop.
struct HealthSample: Sendable, Equatable {
    /// A value and its unit, as sent.
    struct Value: Sendable, Equatable {
        var value: Double
        let unit: String

        init(value: Double, unit: String) {
            (self.value, self.unit) = (value, unit.cut(to: HealthSample.maxLetters))
        }
    }

    /// The role of a sample in its day.
    enum Role: Sendable, Equatable {
        /// A sample among any number of them.
        case sample
        /// The whole day, from all sources: replaces everything that came before.
        case day
        /// An item at midnight of an export that does not say how it is grouped: the whole day, or
        /// its first hour.
        case perhapsDay
        /// The whole day of its source: samples of the same source are not added to it.
        case dayOfSource
    }

    /// The sender's own name of the metric.
    var metric: String
    /// The values by field, in the form of `HealthMetric.key`.
    var values: [String: Value]
    /// The field that counts when a rule names none.
    var main: String
    /// The kind of a workout or a sleep stage; nil for most metrics.
    var kind: String?
    /// Whether the sample counts if a rule asks for no kind. A phase awake is none of sleep's.
    var countsByDefault = true
    var span: SampleSpan
    var source: String
    var role = Role.sample
    /// Whether another one at the same time, of the same source and kind, is a correction: a night
    /// that is scored anew begins earlier or later.
    var isSession = false
    /// Whether the sample may be a part of the time that it names: some app versions cut the oldest
    /// day at the hour of the sync and call it whole. Replaces nothing that says more.
    var mayBePart = false
    /// Whether this is a visit of a place, as OwnTracks reports it: a press. The kind is `enter` or
    /// `leave`.
    var isVisit = false

    /// The value of a field; of the main one for nil.
    func value(of field: String?) -> Value? {
        values[field.map(HealthMetric.key) ?? main]
    }

    /// The greatest number of fields of one sample that are kept.
    static let maxFields = 32
    /// The longest name of a metric, a field or a unit, in Unicode scalars: as long as in a rule.
    static let maxLetters = HealthRule.maxLetters
    /// The longest source and kind, in Unicode scalars: a source may be many joined ones.
    static let maxLettersOfSource = 500
}

/// The time that a sample covers.
struct SampleSpan: Sendable, Equatable {
    /// Unix seconds; local seconds, if the sender named no time zone.
    var start: Int64
    var end: Int64
    /// The civil day to which it belongs.
    var day: Daystamp
    /// The moment that decides to which day of a goal it belongs; nil where only the civil day is
    /// known, as of totals, or counts, as of the day of waking.
    var moment: UnixTime?
    /// The beginning, in seconds after midnight of that day.
    var second: Int64 = 0
}

extension SampleSpan {
    /// A whole day.
    init(of day: Daystamp) {
        self.init(start: day.number * 86_400, end: day.number * 86_400, day: day)
    }
}
