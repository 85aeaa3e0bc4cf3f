/// When revised values are sent: each datapoint at most once a minute, so that a sender that posts
/// a growing total every few seconds costs few requests.
struct RevisionPace: Sendable {
    /// A value that was requested and is not durable yet.
    struct Requested: Sendable, Equatable {
        var value: Double
        var record: SequenceNumber
    }

    /// The shortest time between two requests for the same datapoint, in seconds.
    static let seconds = 60.0
    /// The same while the goal derails within `soonSeconds`: the value may decide it.
    static let shortSeconds = 10.0
    /// Seconds before a goal derails from which on requests may follow each other faster.
    static let soonSeconds: Int64 = 900

    /// The newest requested value of each event.
    private(set) var requested: [SequenceNumber: Requested] = [:]
    /// The end of each event's rest after a request.
    private var rests: [SequenceNumber: Monotonic] = [:]
    /// Revisions that Beeminder has refused while it keeps the earlier value, by event.
    private var refused: [SequenceNumber: SequenceNumber] = [:]

    /// Days whose newest value may have to be sent.
    private(set) var unsent: Set<SequenceNumber> = []
    /// The greatest value that Beeminder may have of each day.
    private var sent: [SequenceNumber: Double] = [:]
    /// Days whose value falls, and that wait for others of their goal that rise.
    private(set) var following: Set<SequenceNumber> = []

    /// Which way the datapoint of a day goes with its newest value.
    enum Direction: Sendable, Equatable {
        case up, down
        /// An earlier process has sent the value before.
        case unknown
    }

    // MARK: Order

    /// A day is to be sent.
    mutating func expect(_ number: SequenceNumber) { unsent.insert(number) }

    /// A request with this value of a day begins.
    mutating func send(_ value: Double, of number: SequenceNumber) {
        sent[number] = max(sent[number] ?? value, value)
    }

    /// Beeminder has the newest value of a day.
    mutating func settle(_ value: Double, of number: SequenceNumber) {
        sent[number] = value
        unsent.remove(number)
    }

    /// - Parameter isThere: whether Beeminder may have a datapoint of the day.
    func direction(of number: SequenceNumber, to value: Double, isThere: Bool) -> Direction {
        guard let before = sent[number] else { return isThere ? .unknown : .up }
        return value < before ? .down : .up
    }

    /// A day waits for others.
    mutating func follow(_ number: SequenceNumber) { following.insert(number) }

    /// A day waits for others no more.
    mutating func release(_ number: SequenceNumber) { following.remove(number) }

    // MARK: Requested values

    mutating func request(_ value: Double, of number: SequenceNumber, by record: SequenceNumber) {
        requested[number] = Requested(value: value, record: record)
    }

    /// The record is durable, or was withdrawn.
    mutating func end(_ record: SequenceNumber, of number: SequenceNumber) {
        if requested[number]?.record == record { requested[number] = nil }
    }

    // MARK: Rests

    /// A request for this event begins.
    mutating func rest(_ number: SequenceNumber, until end: Monotonic) { rests[number] = end }

    /// When an event's rest ends; nil without a rest.
    func restEnd(of number: SequenceNumber, at now: Monotonic) -> Monotonic? {
        rests[number].flatMap { $0 > now ? $0 : nil }
    }

    /// Its request has settled nothing: the next one follows as after any failure.
    mutating func endRest(of number: SequenceNumber) { rests[number] = nil }

    /// Ends all rests.
    mutating func endRests() { rests = [:] }

    // MARK: Refusals

    /// Beeminder keeps the earlier value of an event and refuses this revision.
    mutating func refuse(_ revision: SequenceNumber, of number: SequenceNumber) {
        refused[number] = revision
    }

    /// Whether this revision was refused: it is not sent again by itself in this process.
    func isRefused(_ revision: SequenceNumber, of number: SequenceNumber) -> Bool {
        refused[number] == revision
    }

    /// The refused revision may be sent again.
    mutating func forgetRefusal(of number: SequenceNumber) { refused[number] = nil }

    /// The event is forgotten.
    mutating func forget(_ number: SequenceNumber) {
        refused[number] = nil
        sent[number] = nil
        unsent.remove(number)
        following.remove(number)
        rests[number] = nil
    }
}
