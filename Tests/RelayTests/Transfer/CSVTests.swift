import BeemedDomain
import Foundation
import Testing

@testable import RelayTransfer
@testable import RelayTrunk

/// CSV as spreadsheets write and read it.
struct CSVTests {
    private func rows(_ text: String) throws -> [[String]] {
        var reader = CSVReader(Array(text.utf8)[...])
        var rows: [[String]] = []
        while let row = try reader.next() { rows.append(row.fields) }
        return rows
    }

    /// The line of the fault that is met next; nil without one.
    private func nextFault(_ reader: inout CSVReader) -> Int? {
        do throws(ImportFault) { _ = try reader.next() } catch { return error.line }
        return nil
    }

    @Test(arguments: [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
        ("a,b\r1,2\r", [["a", "b"], ["1", "2"]]),
        ("a;b\r\n1;2,5\r\n", [["a", "b"], ["1", "2,5"]]),
        ("sep=;\r\na;b,c\n", [["a", "b,c"]]),
        ("a\tb\n\"1\t2\"\t3\n", [["a", "b"], ["1\t2", "3"]]),
        ("a,b\n\n,\n1,\n", [["a", "b"], ["1", ""]]),
        ("\"a \"\"b\"\", c\",\"d\r\ne\"\n", [["a \"b\", c", "d\r\ne"]]),
        ("\"a;b\",c\n", [["a;b", "c"]]),
        // The first separator is that of the file.
        ("2026-11-20\t1,5\tmilk, cold, fresh\n", [["2026-11-20", "1,5", "milk, cold, fresh"]]),
        ("2026-11-20,1,a\tb;c\n", [["2026-11-20", "1", "a\tb;c"]]),
        ("\"a;b\"\tc,d\n", [["a;b", "c,d"]]),
    ])
    func `rows are read as RFC 4180 and spreadsheets write them`(
        _ text: String, _ expected: [[String]]
    ) throws {
        try expect(rows(text), is: expected)
    }

    @Test func `a row has its first line's number, and reading goes on after a fault`() throws {
        var reader = CSVReader(Array("a,b\n\"1\n2\",x\n\"y\"z,1\nlast,1\n".utf8)[...])
        try expect(reader.next()?.line, is: 1)
        try expect(reader.next()?.line, is: 2)
        let fault = nextFault(&reader)
        expect(fault, is: 4)
        try expect(reader.next(), is: CSVReader.Row(line: 5, fields: ["last", "1"]))
        try expect(reader.next() == nil)
    }

    @Test func `an open quote and bytes that are no UTF-8 are told with their line`() {
        for bytes in [Array("a,b\n1,\"x\n".utf8), Array("a,b\n1,".utf8) + [0xE4, 0x0A]] {
            var reader = CSVReader(bytes[...])
            _ = try? reader.next()
            let fault = nextFault(&reader)
            expect(fault, is: 2)
        }
    }

    @Test(arguments: [
        "", "a glass", "=1+1", "'=1", "''@x", "+1", "-1", "@SUM(A1)", "\tx", "\"quoted\"", "a,b;c",
        "two\nlines", "\r\nx", "'tis", "ünïcode 🐝", "a;=1+1", "a\t@SUM(A1)", "a; -1", "a;'=1",
        "a;''+1;=2", "x\n=1", "x\r\n-1", "\"=1", "a;\"=1\"", "a;\"\"=1", "＝1", "＋1", "－1", "＠x",
        "a;＝1", "a\t'＋1", "a;\u{3000}=1", "a;\u{A0}=1", "\t=1", ";=1", "a;b;c", "'", "''", ";'",
        "= ;= ;=",
    ])
    func `a comment comes back as it was, and is no formula`(_ comment: String) throws {
        let guarded = CSVText.guarded(comment)
        expect(!["=", "+", "-", "@", "\t", "\r", "\n", "\r\n"].contains(guarded.first ?? "x"))
        // Wherever another program divides the line, and whatever it strips.
        for cell in guarded.unicodeScalars.split(whereSeparator: {
            ";\t\r\n".unicodeScalars.contains($0)
        }) {
            let bare = cell.drop { "\" \u{A0}\u{3000}".unicodeScalars.contains($0) }
            expect(!"=+-@＝＋－＠".unicodeScalars.contains(bare.first ?? "x"), "\(guarded)")
        }
        var reader = CSVReader(CSVText.row([guarded, "x"])[...])
        let fields = try require(try reader.next()).fields
        expect(CSVText.unguarded(fields[0]), is: comment)
        expect(fields[1], is: "x")
    }

    @Test(
        arguments: [
            ("2026-11-18", 20_775, nil), ("20261118", 20_775, nil), ("2026/11/18", 20_775, nil),
            ("2026 11 18", 20_775, nil), ("18.11.2026", 20_775, nil), ("8.1.2026", 20_461, nil),
            ("2026-11-18 14:03", 20_775, 50_580), ("2026-11-18T14:03:22Z", 20_775, 50_602),
            ("2026-11-18T14:03:22.5+01:30", 20_775, 50_602),
        ] as [(String, Int64, Int64?)])
    func `dates are read`(_ text: String, _ day: Int64, _ second: Int64?) throws {
        let date = try require(WrittenDate(text))
        expect(date.day.number, is: day)
        expect(date.clock?.second, is: second)
    }

    @Test(arguments: [
        "11/18/2026", "18-11-2026", "2026-02-29", "2026-11-18 25:00", "2026-11-18 10:61",
        "26-11-18",
        "yesterday", "2026-11-18Tnoon", "", "1.1.26",
    ])
    func `what may mean two dates, or none, is none`(_ text: String) {
        expect(WrittenDate(text) == nil)
    }

    @Test func `an offset is heard`() {
        expect(WrittenDate.Clock("14:03:22+01:30")?.offset, is: 5_400)
        expect(WrittenDate.Clock("14:03-0800")?.offset, is: -28_800)
        expect(WrittenDate.Clock("14:03")?.offset == nil)
    }

    @Test func `a field without an end is refused, and what is behind its line is read`() throws {
        let text = "a,b\n\"" + String(repeating: "x\n", count: 40_000) + "1,2\n"
        var reader = CSVReader(Array(text.utf8)[...])
        _ = try reader.next()
        let fault = nextFault(&reader)
        expect(fault, is: 2)
        var last: CSVReader.Row?
        while let row = try reader.next() { last = row }
        expect(last, is: CSVReader.Row(line: 40_002, fields: ["1", "2"]))
    }
}
