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
    enum Role: String, Codable, Sendable {
        /// A sample among any number of them.
        case sample
        /// A workout or a sleep. Another one at the same time, of the same source and kind, is a
        /// correction: a night that is scored anew begins earlier or later.
        case session
        /// Perhaps a part of the time that it names: some app versions cut the oldest day at the
        /// hour of the sync and call it whole. Replaces nothing that says more.
        case perhapsPart
        /// The whole day, from all sources: replaces everything that came before.
        case day
        /// An item at midnight of an export that does not say how it is grouped: the whole day, or
        /// its first hour.
        case perhapsDay
        /// The whole day of its source: samples of the same source are not added to it.
        case dayOfSource
        /// A visit of a place, as OwnTracks reports it: a press. The kind is `enter` or `leave`.
        case visit
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
    var source: String
    var role = Role.sample

    /// Makes this the total of a day, which cannot be split at a goal's deadline: it stays of the
    /// civil day.
    mutating func makeTotal(_ role: Role) { (self.role, moment) = (role, nil) }

    /// The value of a field; of the main one for nil.
    func value(of field: String?) -> Value? {
        values[field.map(HealthMetric.key) ?? main]
    }

    /// The longest name of a metric, a field or a unit, in Unicode scalars: as long as in a rule.
    static let maxLetters = HealthRule.maxLetters
    /// The longest source and kind, in Unicode scalars: a source may be many joined ones.
    static let maxLettersOfSource = 500
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
    /// The moment itself: without a written time zone by that of the user.
    let moment: UnixTime

    /// The years of a date that is meant: those of other calendars are 1405 or 2569.
    private static let years = 2_000...2_199
    /// The longest text that is looked at, in bytes.
    private static let maxBytes = 100

    /// The beginning of a day, also of one that an unset clock has.
    init(_ day: Daystamp, _ calendar: GoalCalendar) {
        (self.day, second) = (day, 0)
        instant = day.number * 86_400
        moment = calendar.moment(on: day, second: 0)
    }

    /// Parses `2026-11-22`, `2026-11-22 14:30:00 -0800`, `2026-11-22 2:30:00 PM -0800` and
    /// `2026-11-22T22:30:00.123Z`, also with the digits, blanks and halves of the day that a phone
    /// of another region writes in these forms; nil for anything else. The order of year, month and
    /// day is never guessed.
    ///
    /// - Parameters:
    ///   - calendar: the user's time zone, for moments written in UTC or without a zone.
    ///   - offset: seconds east of UTC, if the sender gives them apart from the moment.
    init?(_ text: String, _ calendar: GoalCalendar, offset: Int64? = nil) {
        guard text.utf8.count <= SampleTime.maxBytes else { return nil }
        let text = text.inPlainDigits
        guard let day = Daystamp(String(text.prefix(10))),
            SampleTime.years.contains(day.parts.year)
        else { return nil }
        let rest = text.dropFirst(10)
        guard let separator = rest.first else {
            guard text.count == 10 else { return nil }
            self = SampleTime(day, calendar)
            return
        }
        guard "Tt ,".contains(separator), var clock = SampleClock(rest.dropFirst()) else {
            return nil
        }
        // Programs write UTC like this; `2026-11-22 08:00:00 +0000` is a clock in London.
        if clock.offset == 0, separator == "T" { clock.isUTC = true }
        let local = day.number * 86_400 + clock.second
        if let east = clock.offset ?? offset {
            instant = local - east
            moment = UnixTime(instant)
        } else {
            instant = local
            moment = calendar.moment(on: day, second: clock.second)
        }
        var civil = local
        if let offset {
            civil = instant + offset
        } else if clock.isUTC {
            civil = calendar.localSeconds(moment)
        }
        second = (civil % 86_400 + 86_400) % 86_400
        self.day = Daystamp(number: (civil - second) / 86_400)
    }
}

/// A time of day as a phone of any region writes it, with its difference from UTC.
private struct SampleClock {
    var second: Int64
    /// Seconds east of UTC; nil when not written.
    var offset: Int64?
    /// Whether the offset was written as `Z`.
    var isUTC = false

    init?(_ text: Substring) {
        guard let start = text.firstIndex(where: { "0123456789".contains($0) }) else { return nil }
        let time = text[start...].prefix { "0123456789:.,".contains($0) }
        let rest = text[time.endIndex...]
        let zone = rest[(rest.firstIndex { "+-".contains($0) } ?? rest.endIndex)...]
        // The half of the day stands before the time or behind it: `p. m.`, `P.M.` and `pm` are the
        // same.
        var half = (text[..<start] + rest[..<zone.startIndex]).lowercased()
            .filter { $0 != "." && !$0.isWhitespace }
        for name in ["utc", "gmt", "z"] where half.hasSuffix(name) {
            guard name != "z" || zone.isEmpty else { return nil }
            half.removeLast(name.count)
            (offset, isUTC) = (0, name == "z")
            break
        }
        guard let clock = WrittenDate.Clock(time + String(zone).trimmed) else { return nil }
        (second, offset) = (clock.second, clock.offset ?? offset)
        guard !half.isEmpty else { return }
        let hour = second / 3_600
        let isAfternoon = SampleClock.afternoons.contains(half)
        guard isAfternoon || SampleClock.mornings.contains(half), (1...12).contains(hour) else {
            return nil
        }
        second += (hour % 12 + (isAfternoon ? 12 : 0) - hour) * 3_600
    }

    // The names in the Common Locale Data Repository that iPhones write; one that means both, in
    // two languages, is in neither list.
    private static let mornings: Set = [
        "am", "a", "öö", "fm", "ap", "dop", "de", "πμ", "дп", "ам", "проб", "לפ׳", "לפנה״צ",
        "לפנה\"צ", "ص", "صباحًا", "قبلازظهر", "قظ", "sa", "pg", "vm", "fh", "priekšp", "priešpiet",
        "prijepodne", "пријеподне", "преподне", "претпл", "上午", "午前", "오전", "पूर्वाह्न", "पू",
        "ก่อนเที่ยง", "matin", "damanhã", "pd",
    ]
    private static let afternoons: Set = [
        "pm", "p", "ös", "em", "ip", "odp", "du", "μμ", "пп", "пм", "слоб", "אח׳", "אחה״צ",
        "אחה\"צ", "م", "مساءً", "بعدازظهر", "بظ", "ch", "ptg", "nm", "eh", "pēcp", "popiet",
        "popodne", "послијеподне", "поподне", "попл", "pop", "下午", "午後", "오후", "अपराह्न", "अ",
        "หลังเที่ยง", "soir", "datarde", "md",
    ]
}

extension String {
    /// The same with the digits, blanks and signs of ASCII in the place of those of other scripts,
    /// and without invisible marks of direction.
    var inPlainDigits: String {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
        var plain = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            let properties = scalar.properties
            switch scalar {
            case "\u{200C}", "\u{200E}", "\u{200F}", "\u{061C}", "\u{066C}": continue
            case "\u{2212}": plain.append("-")
            case "\u{066B}": plain.append(".")
            case "\u{FF1A}": plain.append(":")
            default:
                if properties.generalCategory == .decimalNumber, let digit = properties.numericValue
                {
                    plain.append(contentsOf: "\(Int(digit))".unicodeScalars)
                } else {
                    plain.append(properties.isWhitespace ? " " : scalar)
                }
            }
        }
        return String(plain)
    }
}
