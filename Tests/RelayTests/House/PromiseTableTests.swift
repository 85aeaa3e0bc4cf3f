import Testing

/// The README's promises are tests of the same words.
struct PromiseTableTests {
    @Test func `every promise of the README has a test of its name`() throws {
        let rows = try SourceTree.file("README.md").lines.compactMap { line in
            line.wholeMatch(of: /\| \*\*(.+)\*\* \| .+ \|/).map { String($0.1) }
        }
        expect(rows.count >= 7)
        let tests = try SourceTree.swiftFiles(below: "Tests").map(\.text)
        for row in rows {
            expect(tests.contains { $0.contains("@Test func `\(row)`()") }, "\(row)")
        }
    }
}
