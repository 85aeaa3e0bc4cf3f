/// When a zone has summer time in all years to come: `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636,
/// section 3.3; POSIX, environment variable `TZ`).
struct ZoneRule: Sendable, Equatable {
    /// Seconds ahead of UTC.
    private let standard: Int64
    private let summer: Summer?

    private struct Summer: Equatable {
        let offset: Int64
        let begins: Turn
        let ends: Turn
    }

    /// A day of each year, and the second after its midnight, by the local time until then.
    private struct Turn: Equatable {
        enum Day: Equatable {
            /// Such a day of the week, 0 for Sunday; in week 5 the last one of the month.
            case week(month: Int, week: Int64, day: Int64)
            /// From 1, without 29 February.
            case dayWithoutLeapDay(Int64)
            /// From 0.
            case day(Int64)
        }
        let day: Day
        let second: Int64

        /// The second of a year, as seconds since 1970 would count it without a time zone.
        func second(in year: Int) -> Int64 {
            let first = { (month: Int) in
                Daystamp(year: year + (month - 1) / 12, month: (month - 1) % 12 + 1, day: 1)?.number
                    ?? 0
            }
            let number: Int64
            switch day {
            case .week(let month, let week, let day):
                // 1970-01-01 was a Thursday.
                let weekday = (first(month) + 4) % 7
                let inMonth = first(month) + (day - weekday + 7) % 7 + (week - 1) * 7
                number = inMonth < first(month + 1) ? inMonth : inMonth - 7
            case .dayWithoutLeapDay(let day):
                let isAfterLeapDay = day > 59 && first(3) - first(1) == 60
                number = first(1) + day - (isAfterLeapDay ? 0 : 1)
            case .day(let day): number = first(1) + day
            }
            return number * 86_400 + second
        }
    }

    /// Parses a rule; nil for other text.
    init?(_ text: String) {
        var reader = Reader(rest: text[...])
        guard reader.skipName(), let west = reader.time() else { return nil }
        standard = -west
        if reader.rest.isEmpty {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        var offset = standard + 3_600
        if reader.rest.first != "," {
            guard let west = reader.time() else { return nil }
            offset = -west
        }
        guard let begins = reader.turn(), let ends = reader.turn(), reader.rest.isEmpty else {
            return nil
        }
        summer = Summer(offset: offset, begins: begins, ends: ends)
    }

    /// How many seconds local time is ahead of UTC.
    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let local = seconds + standard
        let day = (local - (local % 86_400 + 86_400) % 86_400) / 86_400
        let year = Daystamp(number: day).parts.year
        let begins = summer.begins.second(in: year) - standard
        let ends = summer.ends.second(in: year) - summer.offset
        // South of the equator summer time lasts over the turn of the year.
        let isSummer =
            begins < ends
            ? (begins..<ends).contains(seconds) : !(ends..<begins).contains(seconds)
        return isSummer ? summer.offset : standard
    }

    /// The text that is left to read.
    private struct Reader {
        var rest: Substring

        /// Skips a name of letters, or any in angle brackets; false when there is none.
        mutating func skipName() -> Bool {
            if rest.first == "<" {
                guard let end = rest.firstIndex(of: ">") else { return false }
                rest = rest[rest.index(after: end)...]
                return true
            }
            let name = rest.prefix(while: \.isLetter)
            rest = rest.dropFirst(name.count)
            return !name.isEmpty
        }

        mutating func skip(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func number() -> Int64? {
            let digits = rest.prefix(while: \.isNumber)
            rest = rest.dropFirst(digits.count)
            return Int64(digits)
        }

        /// `3`, `-1`, `5:30`, `+13:45:00`, in seconds.
        mutating func time() -> Int64? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = hours * 3_600
            for unit in [60, 1] as [Int64] where skip(":") {
                guard let part = number(), part < 60 else { return nil }
                seconds += part * unit
            }
            return isNegative ? -seconds : seconds
        }

        /// `,M3.5.0/3`, `,J60` or `,59`; at 2:00 without a time.
        mutating func turn() -> Turn? {
            guard skip(","), let day = self.day() else { return nil }
            guard skip("/") else { return Turn(day: day, second: 7_200) }
            return time().map { Turn(day: day, second: $0) }
        }

        private mutating func day() -> Turn.Day? {
            if skip("J") {
                return number().flatMap { (1...365).contains($0) ? .dayWithoutLeapDay($0) : nil }
            }
            guard skip("M") else { return number().flatMap { $0 <= 365 ? .day($0) : nil } }
            guard let month = number(), (1...12).contains(month), skip("."), let week = number(),
                (1...5).contains(week), skip("."), let day = number(), day <= 6
            else { return nil }
            return .week(month: Int(month), week: week, day: day)
        }
    }
}
