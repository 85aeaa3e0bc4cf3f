/// The sending of days' totals, by event. Each datapoint is sent at most once a minute, so that a
/// sender that posts a growing total every few seconds costs few requests.
struct RevisionPace: Sendable {
    /// The state of a day's total in this process.
    struct Day: Sendable {
        /// The newest requested value and its record, which is not durable yet.
        var requested: (value: Double, record: SequenceNumber)?
        /// The end of the rest after a request.
        var restEnd: Monotonic?
    }

    /// The shortest time between two requests for the same datapoint, in seconds.
    static let seconds = 60.0
    /// The same while the goal derails within `soonSeconds`: the value may decide it.
    static let shortSeconds = 10.0
    /// Seconds before a goal derails from which on requests may follow each other faster.
    static let soonSeconds: Int64 = 900

    private var days: [SequenceNumber: Day] = [:]

    /// The day of an event.
    subscript(_ number: SequenceNumber) -> Day {
        get { days[number] ?? Day() }
        set { days[number] = newValue }
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
