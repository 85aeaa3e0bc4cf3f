#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
            // Debian has old names, such as those that Rails gives, in a package that is seldom
            // installed; its list of all zones has them still.
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
