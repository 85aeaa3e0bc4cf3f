/// A value that came in place of the one that a test needs to go on.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ value: Any?) {
        description = value.map { "\($0)" } ?? "nil"
    }
}
