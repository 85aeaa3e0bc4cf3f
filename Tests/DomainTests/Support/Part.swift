import Testing

/// A part of a test: an error ends it alone, and is recorded with its name.
///
/// The macro of a test takes as long to compile as ten lines of it, so small tests share one.
func part(
    _ name: String, file: String = #filePath, line: Int = #line, _ body: () throws -> Void
) {
    do { try body() } catch { record(error, name, file, line) }
}

/// The same for each row of a table: an error ends that row alone.
func part<Rows: Sequence>(
    _ name: String, _ rows: Rows, file: String = #filePath, line: Int = #line,
    _ body: (Rows.Element) throws -> Void
) {
    for row in rows {
        part("\(name): \(row)", file: file, line: line) { try body(row) }
    }
}

private func record(_ error: any Error, _ name: String, _ file: String, _ line: Int) {
    let id = file.split(separator: "/").suffix(2).joined(separator: "/")
    Issue.record(
        "\(name): \(error)",
        sourceLocation: SourceLocation(fileID: id, filePath: file, line: line, column: 1))
}
