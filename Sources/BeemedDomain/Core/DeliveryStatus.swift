/// How delivery fares, for people, and how often they may hasten it.
struct DeliveryStatus: Sendable {
    /// Whether the last attempt left its event in the queue.
    var lastFailed = false
    /// When a request was last sent or answered, or the queue was last empty.
    var lastMove: Monotonic?
    /// How often a device may end the delays: a loop in an automation must not burden Beeminder.
    var flushes = Allowance(atOnce: 10, secondsEach: 10)
    /// Events that replaced a datapoint of another source, the newest last.
    private(set) var overwritten: [SequenceNumber] = []

    /// The maximum number that is counted.
    private static let mostOverwritten = 1_000

    mutating func noteOverwritten(_ number: SequenceNumber) {
        overwritten.append(number)
        if overwritten.count > DeliveryStatus.mostOverwritten { overwritten.removeFirst() }
    }
}
