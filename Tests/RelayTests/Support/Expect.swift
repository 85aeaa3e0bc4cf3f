import Testing

/// Records an issue where a condition does not hold.
///
/// The library's `#expect` writes each condition anew, with a closure for each operand: half of the
/// time in which the tests were compiled. These are functions, with the values that count. For the
/// same reason they take file and line, whose macro for both took a tenth of what was left.
func expect(
    _ holds: Bool, _ comment: @autoclosure () -> Comment? = nil,
    file: String = #filePath, line: Int = #line
) {
    if !holds { record(comment() ?? "does not hold", file, line) }
}

/// Records an issue with both values where they are not equal.
func expect<Value: Equatable>(
    _ value: Value, is wanted: Value, _ comment: @autoclosure () -> Comment? = nil,
    file: String = #filePath, line: Int = #line
) {
    if value == wanted { return }
    let note = comment().map { " (\($0))" } ?? ""
    record("\(value) is not \(wanted)\(note)", file, line)
}

/// The value; where there is none, an error that ends the test and says where.
@discardableResult
func require<Value>(
    _ value: Value?, _ comment: @autoclosure () -> Comment? = nil,
    file: String = #filePath, line: Int = #line
) throws -> Value {
    if let value { return value }
    record(comment() ?? "is nil", file, line)
    throw Unexpected("nil")
}

/// Ends the test where a condition does not hold.
func require(
    _ holds: Bool, _ comment: @autoclosure () -> Comment? = nil,
    file: String = #filePath, line: Int = #line
) throws {
    if holds { return }
    record(comment() ?? "does not hold", file, line)
    throw Unexpected(false)
}

/// Records an issue at a place of the tests.
func record(_ comment: Comment, _ file: String, _ line: Int) {
    let name = file.split(separator: "/").suffix(2).joined(separator: "/")
    Issue.record(
        comment,
        sourceLocation: SourceLocation(fileID: name, filePath: file, line: line, column: 1))
}
