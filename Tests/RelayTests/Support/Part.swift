import Testing

/// A part of a test: an error ends it alone, and is recorded with its name.
///
/// The macro of a test takes as long to compile as ten lines of it, so small tests share one.
func part(
    _ name: String, file: String = #filePath, line: Int = #line, _ body: () throws -> Void
) {
    do { try body() } catch { record("\(name): \(error)", file, line) }
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

/// A part of a test that waits.
func asyncPart(
    _ name: String, file: String = #filePath, line: Int = #line,
    _ body: () async throws -> Void
) async {
    do { try await body() } catch { record("\(name): \(error)", file, line) }
}

/// The same for each row of a table.
func asyncPart<Rows: Sequence>(
    _ name: String, _ rows: Rows, file: String = #filePath, line: Int = #line,
    _ body: (Rows.Element) async throws -> Void
) async {
    for row in rows {
        await asyncPart("\(name): \(row)", file: file, line: line) { try await body(row) }
    }
}

/// Runs tests of a suite that has a folder, each with a suite of its own.
func each<Suite>(
    _ make: () -> Suite, _ tests: [(Suite) -> () throws -> Void],
    file: String = #filePath, line: Int = #line
) {
    for (index, test) in tests.enumerated() {
        part("test \(index + 1) of the list", file: file, line: line) { try test(make())() }
    }
}

/// The same of tests that wait.
func each<Suite>(
    _ make: () -> Suite, _ tests: [(Suite) -> () async throws -> Void],
    file: String = #filePath, line: Int = #line
) async {
    for (index, test) in tests.enumerated() {
        await asyncPart("test \(index + 1) of the list", file: file, line: line) {
            try await test(make())()
        }
    }
}
