/// What came instead of what a test can go on with.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ value: Any?) {
        description = value.map { "\($0)" } ?? "nil"
    }
}
