import Foundation

/// A time zone: how far its local time is from UTC, at any moment.
///
/// It is read from the system's database of time zones, in the format of RFC 9636. Foundation's own
/// copy of that database would be half of the program, and as old as the program.
package struct Zone: Sendable, Equatable {
    /// Its name in the database, such as `Europe/Berlin`.
    package let name: String
    /// The seconds since 1970 at which the offset changes, in order.
    private var changes: [Int64] = []
    /// The offset before the first change, and from each change on.
    private var offsets: [Int64]
    /// The rule after the last change; nil when there is none, and the last offset stays.
    private var rule: ZoneRule?

    /// UTC.
    package static let utc = Zone(name: "UTC", offsets: [0])

    private init(name: String, offsets: [Int64]) {
        self.name = name
        self.offsets = offsets
    }

    /// The zone of that name, from one of these folders; nil when none has it.
    ///
    /// - Parameter folders: Linux and macOS have the database in the first, NixOS in the second.
    package init?(
        named name: String, in folders: [String] = ["/usr/share/zoneinfo", "/etc/zoneinfo"]
    ) {
        let isName = name.utf8.allSatisfy { byte in
            let letter = byte | 0x20
            return (0x61...0x7A).contains(letter) || (0x30...0x39).contains(byte)
                || [0x2B, 0x2D, 0x2F, 0x5F].contains(byte)
        }
        guard isName, !name.isEmpty, !name.hasPrefix("/") else { return nil }
        for folder in folders {
            func load(_ file: some StringProtocol) -> Zone? {
                Zone.contents("\(folder)/\(file)").flatMap { Zone(name, $0) }
            }
            // Debian has old names in a package that is seldom installed; its list of all zones has
            // them still.
            if let zone = load(name) ?? Zone.link(name, in: "\(folder)/tzdata.zi").flatMap(load) {
                self = zone
                return
            }
        }
        return nil
    }

    /// The present name of a zone, by a line `L Europe/Kyiv Europe/Kiev` of that list.
    private static func link(_ name: String, in list: String) -> Substring? {
        guard let bytes = contents(list) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == "L", words[2] == name { return words[1] }
        }
        return nil
    }

    private static func contents(_ path: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: path))).map { Array($0) }
    }

    /// Reads a file of the database; nil for one without a part of 64-bit numbers (version 2).
    init?(_ name: String, _ file: [UInt8]) {
        // A header has 44 bytes, and after the first one follows a part of 32-bit numbers.
        guard let old = Counts(file, at: 0), file[4] >= 0x32 else { return nil }
        let header = 44 + old.size(ofTime: 4)
        guard let counts = Counts(file, at: header), counts.types > 0 else { return nil }
        let times = header + 44
        let indexes = times + counts.times * 8
        let types = indexes + counts.times
        let footer = times + counts.size(ofTime: 8)
        guard footer < file.count else { return nil }
        func offset(ofType index: Int) -> Int64? {
            guard index < counts.types else { return nil }
            return Int64(Int32(truncatingIfNeeded: file.number(4, at: types + index * 6)))
        }
        self.init(name: name, offsets: [])
        for index in 0...counts.times {
            // Before the first change type 0 holds (section 3.2).
            guard let offset = offset(ofType: index == 0 ? 0 : Int(file[indexes + index - 1]))
            else { return nil }
            offsets.append(offset)
            if index > 0 { changes.append(file.number(8, at: times + (index - 1) * 8)) }
        }
        let text = file[(footer + 1)...].prefix { $0 != 0x0A }
        if !text.isEmpty {
            guard let rule = ZoneRule(String(decoding: text, as: UTF8.self)) else { return nil }
            self.rule = rule
        }
    }

    /// How many seconds local time is ahead of UTC.
    ///
    /// - Parameter seconds: since 1970, UTC.
    package func offset(at seconds: Int64) -> Int64 {
        let passed = changes.partitioningIndex { $0 > seconds }
        if passed == changes.count, let rule { return rule.offset(at: seconds) }
        return offsets[passed]
    }
}

/// The six numbers of a header (RFC 9636, section 3.1).
private struct Counts {
    let times: Int
    let types: Int
    private let others: (utc: Int, standard: Int, leaps: Int, characters: Int)

    init?(_ file: [UInt8], at start: Int) {
        guard file.count >= start + 44, file[start...].starts(with: Array("TZif".utf8)) else {
            return nil
        }
        let all = (0..<6).map { Int(file.number(4, at: start + 20 + $0 * 4)) }
        others = (all[0], all[1], all[2], all[5])
        (times, types) = (all[3], all[4])
    }

    /// The bytes after the header, with so many for each time.
    func size(ofTime bytes: Int) -> Int {
        times * (bytes + 1) + types * 6 + others.characters + others.leaps * (bytes + 4)
            + others.standard + others.utc
    }
}

extension [UInt8] {
    /// A number of so many bytes, the highest first.
    fileprivate func number(_ length: Int, at start: Int) -> Int64 {
        self[start..<(start + length)].reduce(0) { $0 << 8 | Int64($1) }
    }
}

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
