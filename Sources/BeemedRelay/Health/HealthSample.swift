import BeemedDomain

/// One sample of a metric, or the total of a day, as a sender sent it.
struct HealthSample: Sendable, Equatable {
    /// A value and its unit, as sent.
    struct Value: Sendable, Equatable {
        var value: Double
        var unit: String
    }

    /// The role of a sample in its day.
    enum Role: Sendable, Equatable {
        /// One of any number of samples.
        case sample
        /// The whole day, from all sources: it replaces everything that came before.
        case day
        /// The whole day of its source: samples of the same source are not added to it.
        case dayOfSource
    }

    /// The sender's own name of the metric.
    var metric: String
    /// The values by field; the fields are compared as metrics' names are.
    var values: [String: Value]
    /// The field that counts when a rule names none.
    var main: String
    /// The kind of a workout, a sleep stage, a visit; nil for most metrics.
    var kind: String?
    /// Whether it counts although a rule asks for no kind. A phase awake is none of sleep's.
    var countsUnasked = true
    var span: SampleSpan
    var source: String
    var role = Role.sample
    /// Whether another one at the same time, of the same source and kind, is a correction of it: a
    /// night that is scored anew begins earlier or later.
    var isSession = false
    /// How the sender has grouped what it sends, if it can be told to do otherwise: the same hours
    /// come again as minutes then.
    var grouping: String?

    /// Whether it is a whole day for sure: one item at midnight of an export that does not say how
    /// it is grouped may be that of an hour.
    var isCertainlyDay: Bool { role == .day && grouping != "" }

    /// The value of a field; of the main one for nil.
    func value(of field: String?) -> Value? {
        guard let field else { return values[main] }
        let key = HealthMetric.key(field)
        return values.first { HealthMetric.key($0.key) == key }?.value
    }

    /// The greatest number of fields of one sample that are kept.
    static let mostFields = 32
    /// The longest name of a metric, a field or a unit, in Unicode scalars: as long as in a rule.
    static let mostLetters = HealthRule.mostLetters
    /// The longest source and kind, in Unicode scalars: a source may be many joined ones.
    static let mostLettersOfSource = 500

    /// The same sample with texts of a bounded length. They are compared with those of every rule,
    /// also on the loop.
    var bounded: HealthSample {
        var sample = self
        sample.metric = metric.cut(to: HealthSample.mostLetters)
        sample.main = main.cut(to: HealthSample.mostLetters)
        sample.kind = kind?.cut(to: HealthSample.mostLettersOfSource)
        sample.source = source.cut(to: HealthSample.mostLettersOfSource)
        sample.grouping = grouping?.cut(to: HealthSample.mostLetters)
        let isLong = values.contains { name, value in
            max(name.utf8.count, value.unit.utf8.count) > HealthSample.mostLetters
        }
        guard isLong else { return sample }
        sample.values = Dictionary(
            values.map { name, value in
                let unit = value.unit.cut(to: HealthSample.mostLetters)
                return (
                    name.cut(to: HealthSample.mostLetters), Value(value: value.value, unit: unit)
                )
            }, uniquingKeysWith: { first, _ in first })
        return sample
    }
}

extension String {
    /// The first Unicode scalars of a stranger's text. Not the first characters: one of them may
    /// have millions of scalars.
    func cut(to count: Int) -> String {
        utf8.count > count ? String(unicodeScalars.prefix(count)) : self
    }
}

/// The time that a sample covers.
struct SampleSpan: Sendable, Equatable {
    /// Unix seconds; local seconds, if the sender named no time zone.
    var start: Int64
    var end: Int64
    /// The civil day to which it belongs.
    var day: Daystamp
}

/// A moment as a sender writes it.
struct SampleTime: Sendable, Equatable {
    /// The civil day that was written, or that the moment has in the user's time zone if it was
    /// written in UTC, which is hardly the time of a person's clock.
    let day: Daystamp
    /// Seconds after midnight of that day.
    let second: Int64
    /// Unix seconds; local seconds without a time zone.
    let instant: Int64
    /// Whether no time of day was written.
    let isDay: Bool

    /// Parses `2026-11-22`, `2026-11-22 14:30:00 -0800`, `2026-11-22 2:30:00 PM -0800` and
    /// `2026-11-22T22:30:00.123Z`; nil for anything else.
    ///
    /// - Parameters:
    ///   - calendar: the user's time zone, for moments written in UTC.
    ///   - offset: seconds east of UTC, if the sender gives them apart from the moment.
    init?(_ text: String, _ calendar: GoalCalendar, offset: Int64? = nil) {
        let text = text.replacing("\u{202F}", with: " ")
        guard let day = Daystamp(String(text.prefix(10))) else { return nil }
        guard text.count > 10 else {
            guard text.count == 10 else { return nil }
            (self.day, second, isDay) = (day, 0, true)
            instant = day.number * 86_400
            return
        }
        guard var clock = SampleClock(text.dropFirst(11)) else { return nil }
        // Programs write UTC like this; `2026-11-22 08:00:00 +0000` is a clock in London.
        if clock.offset == 0, text.utf8.dropFirst(10).first == UInt8(ascii: "T") {
            clock.isUTC = true
        }
        let local = day.number * 86_400 + clock.second
        var civil = local
        if let written = clock.offset {
            instant = local - written
            if let offset {
                civil = instant + offset
            } else if clock.isUTC {
                civil = calendar.localSeconds(UnixTime(instant))
            }
        } else {
            instant = local - (offset ?? 0)
        }
        let number = civil >= 0 ? civil / 86_400 : (civil - 86_399) / 86_400
        self.day = Daystamp(number: number)
        second = civil - number * 86_400
        isDay = false
    }
}

/// A time of day with its difference from UTC.
private struct SampleClock {
    var second: Int64
    /// Seconds east of UTC; nil when it was not written.
    var offset: Int64?
    /// Whether it was written as `Z`.
    var isUTC = false

    init?(_ text: Substring) {
        var parts = text.split(separator: " ")
        guard var time = parts.first else { return nil }
        parts.removeFirst()
        var half: Substring?
        if let next = parts.first, ["AM", "PM"].contains(next.uppercased()) {
            half = parts.removeFirst()
        }
        var zone = parts.first
        guard parts.count <= 1 else { return nil }
        if zone == nil, let mark = time.firstIndex(where: { "Zz+-".contains($0) }) {
            zone = time[mark...]
            time = time[..<mark]
        }
        guard let second = SampleClock.second(time, half: half) else { return nil }
        self.second = second
        guard let zone else { return }
        if zone.uppercased() == "Z" {
            (offset, isUTC) = (0, true)
        } else {
            guard let seconds = SampleClock.offset(zone) else { return nil }
            offset = seconds
        }
    }

    private static func second(_ text: Substring, half: Substring?) -> Int64? {
        guard let time = TimeOfDay(text) else { return nil }
        guard let half else { return time.seconds }
        guard (1...12).contains(time.hour) else { return nil }
        let isAfternoon = half.uppercased() == "PM"
        return time.seconds - time.hour * 3_600 + (time.hour % 12 + (isAfternoon ? 12 : 0)) * 3_600
    }

    /// Parses `+0100`, `-08:00` and `+01`.
    static func offset(_ text: Substring) -> Int64? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard digits.utf8.count == 2 || digits.utf8.count == 4, let number = Int64(digits) else {
            return nil
        }
        let (hours, minutes) = digits.utf8.count == 2 ? (number, 0) : (number / 100, number % 100)
        guard (0...14).contains(hours), minutes < 60 else { return nil }
        return (hours * 3_600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }
}

extension SampleTime {
    /// Parses a difference from UTC that is written apart from the moment: `+01:00`, `-0500`.
    static func offset(_ text: String) -> Int64? { SampleClock.offset(Substring(text)) }
}
