import Foundation
import Testing

@testable import BeemedDomain

/// The offsets of time zones, from the system's files. `GoalDayTests` compares them with those of
/// Foundation in all zones.
struct ZoneTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let rule: String
        /// RFC 3339, UTC.
        let time: String
        let offset: Int64
        var testDescription: String { "\(rule) at \(time)" }
    }

    static let rules = [
        Row(rule: "<+0330>-3:30", time: "2031-07-01T00:00:00Z", offset: 12_600),
        Row(rule: "UTC0", time: "2400-02-29T00:00:00Z", offset: 0),
        // The last Sundays of March and October, at 1:00 UTC.
        Row(rule: "CET-1CEST,M3.5.0,M10.5.0/3", time: "2040-03-25T00:59:59Z", offset: 3_600),
        Row(rule: "CET-1CEST,M3.5.0,M10.5.0/3", time: "2040-03-25T01:00:00Z", offset: 7_200),
        Row(rule: "CET-1CEST,M3.5.0,M10.5.0/3", time: "2040-10-28T00:59:59Z", offset: 7_200),
        Row(rule: "CET-1CEST,M3.5.0,M10.5.0/3", time: "2040-10-28T01:00:00Z", offset: 3_600),
        // The second Sunday of March.
        Row(rule: "EST5EDT,M3.2.0,M11.1.0", time: "2043-03-08T06:59:59Z", offset: -18_000),
        Row(rule: "EST5EDT,M3.2.0,M11.1.0", time: "2043-03-08T07:00:00Z", offset: -14_400),
        // South of the equator.
        Row(rule: "NZST-12NZDT,M9.5.0,M4.1.0/3", time: "2039-01-01T00:00:00Z", offset: 46_800),
        Row(rule: "NZST-12NZDT,M9.5.0,M4.1.0/3", time: "2039-07-01T00:00:00Z", offset: 43_200),
        // Ireland's winter time is the exception, and before the standard time.
        Row(rule: "IST-1GMT0,M10.5.0,M3.5.0/1", time: "2039-12-31T23:59:59Z", offset: 0),
        Row(rule: "IST-1GMT0,M10.5.0,M3.5.0/1", time: "2039-06-01T00:00:00Z", offset: 3_600),
        // Before and after midnight of the day named: Greenland, Israel.
        Row(rule: "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", time: "2040-03-25T00:59:59Z", offset: -7_200),
        Row(rule: "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", time: "2040-03-25T01:00:00Z", offset: -3_600),
        Row(rule: "IST-2IDT,M3.4.4/26,M10.5.0", time: "2040-03-22T23:59:59Z", offset: 7_200),
        Row(rule: "IST-2IDT,M3.4.4/26,M10.5.0", time: "2040-03-23T00:00:00Z", offset: 10_800),
        // Summer time in the whole year (RFC 9636, section 3.3.1).
        Row(rule: "XXX3EDT4,0/0,J365/23", time: "2040-12-31T23:59:59Z", offset: -14_400),
        Row(rule: "XXX3EDT4,0/0,J365/23", time: "2041-01-01T03:30:00Z", offset: -14_400),
        // With 29 February, day 59 from 0 is that day; without it, J60 is 1 March in every year.
        Row(rule: "A0B,59/0,200", time: "2040-02-29T00:00:00Z", offset: 3_600),
        Row(rule: "A0B,J60/0,200", time: "2040-02-29T23:59:59Z", offset: 0),
        Row(rule: "A0B,J60/0,200", time: "2040-03-01T00:00:00Z", offset: 3_600),
        Row(rule: "A0B,J60/0,200", time: "2041-03-01T00:00:00Z", offset: 3_600),
    ]

    @Test(arguments: rules) func `a rule gives the offset of a moment`(_ row: Row) throws {
        let date = try Date(row.time, strategy: .iso8601)
        let rule = try require(ZoneRule(row.rule))
        expect(rule.offset(at: Int64(date.timeIntervalSince1970)), is: row.offset)
    }

    @Test(arguments: [
        "", "3", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M13.5.0",
        "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J366", "<+03-3",
        "CET-1:60", "CET-168", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-99999999999999999999",
    ])
    func `a text that is no rule is not taken for one`(_ text: String) {
        expect(ZoneRule(text) == nil)
    }

    /// A zone file with a change from -1:00 to +1:00 at second 1000, and a rule after it or none.
    private static func file(rule: String = "", version: UInt8 = 0x32) -> [UInt8] {
        func header(_ counts: [UInt8]) -> [UInt8] {
            Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
                + counts.flatMap { [0, 0, 0, $0] }
        }
        // In the part of 32-bit numbers, which is skipped, one of everything.
        let old = header([1, 1, 1, 1, 1, 1]) + [UInt8](repeating: 9, count: 4 + 1 + 6 + 1 + 8 + 2)
        let types: [UInt8] = [0xFF, 0xFF, 0xF1, 0xF0, 0, 0] + [0, 0, 0x0E, 0x10, 0, 0]
        let change: [UInt8] = [0, 0, 0, 0, 0, 0, 0x03, 0xE8, 1]
        return old + header([0, 0, 0, 1, 2, 1]) + change + types + [0] + Array("\n\(rule)\n".utf8)
    }

    @Test func `a file gives the offsets before and after its changes`() throws {
        let zone = try require(Zone("Here", Self.file()))
        expect([-5, 999].map(zone.offset), is: [-3_600, -3_600])
        expect([1_000, 9_999_999].map(zone.offset), is: [3_600, 3_600])
        let ruled = try require(Zone("Here", Self.file(rule: "A-2")))
        expect([999, 1_000].map(ruled.offset), is: [-3_600, 7_200])
    }

    @Test func `a file that is cut or false is no zone, and no crash`() {
        let file = Self.file(rule: "A-2")
        // Without its last lines it is still one, with its last offset for the future.
        for length in 0..<(file.count - 5) {
            expect(Zone("Here", Array(file.prefix(length))) == nil)
        }
        for index in file.indices {
            for byte in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = file
                changed[index] = byte
                _ = Zone("Here", changed)?.offset(at: 1_000)
            }
        }
        expect(Zone("Here", Self.file(version: 0)) == nil)
        expect(Zone("Here", Self.file(rule: "A")) == nil)
    }

    @Test func `an old name is found by the list of all zones`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(component: "zones-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(Self.file()).write(to: folder.appending(component: "New"))
        try Data("# version x\nL New Old\nL Gone Lost\n".utf8)
            .write(to: folder.appending(component: "tzdata.zi"))
        expect(Zone(named: "Old", in: ["/nowhere", folder.path])?.offset(at: 1_000), is: 3_600)
        expect(Zone(named: "Old", in: [folder.path])?.name, is: "Old")
        for name in ["Lost", "Other", "", "/New", "../New", "New\0", "tzdata.zi", "."] {
            expect(Zone(named: name, in: [folder.path]) == nil, "\(name)")
        }
    }
}
