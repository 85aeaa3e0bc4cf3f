/// Generates names for requests, the same in the log and in the answer.
struct RequestNames: Sendable {
    private let start = UInt32.random(in: 0 ... .max)
    private var count: UInt32 = 0

    mutating func next() -> String {
        count &+= 1
        return String(start, radix: 36) + "-" + String(count, radix: 36)
    }
}
