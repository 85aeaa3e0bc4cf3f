import Testing

/// Records an issue where a condition does not hold.
///
/// The library's `#expect` writes each condition anew, with a closure for each operand: half of the
/// time in which the tests were compiled. These are functions, with the values that count.
func expect(
    _ holds: Bool, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if !holds { Issue.record(comment() ?? "does not hold", sourceLocation: sourceLocation) }
}

/// Records an issue with both values where they are not equal.
func expect<Value: Equatable>(
    _ value: Value, is wanted: Value, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if value == wanted { return }
    let note = comment().map { " (\($0))" } ?? ""
    Issue.record("\(value) is not \(wanted)\(note)", sourceLocation: sourceLocation)
}

/// The value; where there is none, an error that ends the test and says where.
@discardableResult
func require<Value>(
    _ value: Value?, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    if let value { return value }
    Issue.record(comment() ?? "is nil", sourceLocation: sourceLocation)
    throw Unexpected("nil")
}

/// Ends the test where a condition does not hold.
func require(
    _ holds: Bool, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    if holds { return }
    Issue.record(comment() ?? "does not hold", sourceLocation: sourceLocation)
    throw Unexpected(false)
}
