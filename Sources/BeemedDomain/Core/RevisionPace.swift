/// The sending of days' totals, by event. Each datapoint is sent at most once a minute, so that a
/// sender that posts a growing total every few seconds costs few requests.
struct RevisionPace: Sendable {
    /// The state of a day's total in this process.
    private struct Day: Sendable {
        /// The newest requested value and its record, which is not durable yet.
        var requested: (value: Double, record: SequenceNumber)?
        /// The end of the rest after a request.
        var restEnd: Monotonic?
    }

    /// The shortest time between two requests for the same datapoint, in seconds.
    private static let seconds = 60.0
    /// The same while the goal derails within `soonSeconds`: the value may decide it.
    private static let shortSeconds = 10.0
    /// Seconds before a goal derails from which on requests may follow each other faster.
    private static let soonSeconds: Int64 = 900

    private var days: [SequenceNumber: Day] = [:]

    /// The newest value of an event and its record, which is not durable yet; nil without one.
    func requested(of number: SequenceNumber) -> (value: Double, record: SequenceNumber)? {
        days[number]?.requested
    }

    /// That record revises an event.
    mutating func request(_ value: Double, of number: SequenceNumber, by record: SequenceNumber) {
        days[number, default: Day()].requested = (value, record)
    }

    /// The record of a requested value is durable, or was withdrawn.
    mutating func endRequest(of number: SequenceNumber, by record: SequenceNumber) {
        if days[number]?.requested?.record == record { days[number]?.requested = nil }
    }

    /// A request for these events begins: the next revised value waits.
    ///
    /// - Parameter left: seconds until the goal derails.
    mutating func rest(_ numbers: [SequenceNumber], at now: Monotonic, left: Int64) {
        let isSoon = (0..<RevisionPace.soonSeconds).contains(left)
        let seconds = isSoon ? RevisionPace.shortSeconds : RevisionPace.seconds
        for number in numbers {
            days[number, default: Day()].restEnd = now.adding(seconds: seconds)
        }
    }

    /// When the rest of a day ends; nil when it does not rest.
    func restEnd(of number: SequenceNumber, at now: Monotonic) -> Monotonic? {
        days[number]?.restEnd.flatMap { $0 > now ? $0 : nil }
    }

    /// The request of an event has settled nothing: the next one follows as after any failure.
    mutating func endRest(of number: SequenceNumber) { days[number]?.restEnd = nil }

    /// Ends all rests.
    mutating func endRests() { for number in days.keys { endRest(of: number) } }

    /// The day is forgotten.
    mutating func forget(_ number: SequenceNumber) { days[number] = nil }
}
