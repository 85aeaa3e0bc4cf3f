/// The relay's clock, and the events whose times depend on it.
struct ClockWatch: Sendable {
    var trust: ClockTrust
    /// Names this boot of the machine, for the monotonic times in records.
    let boot: String
    /// Whether the relay's own clock is right. Nothing is sent before it is.
    private(set) var isSound = false
    /// Whether the clock has been compared with Beeminder's, or cannot be.
    private(set) var isChecked = false
    /// Whether Beeminder has given the time.
    private(set) var isKnown = false
    /// Whether the clock is known to be wrong; then Beeminder's time is used.
    private var isWrong = false
    /// When the relay last learned that its time was wrong.
    private(set) var learned = Monotonic(milliseconds: .min)
    /// Events that were being written at that moment.
    private(set) var overtaken: [SequenceNumber] = []
    /// The review of the events that were durable at that moment, until complete. With many waiting
    /// events it would take 30 ms, so it is done in slices.
    private(set) var review: Review?
    /// Events whose time must be repaired once they are durable.
    var untimed: [SequenceNumber] = []

    init(_ trust: ClockTrust, boot: String) {
        self.trust = trust
        self.boot = boot
    }

    /// The result of another look at the clock.
    struct Evaluation {
        /// The moment by the best known time.
        var now: Moment
        /// Whether the state to report differs.
        var hasChanged: Bool
        /// Whether Beeminder must be asked for the time again.
        var mustAsk: Bool
        /// Whether the time is known now and was not before.
        var isNewlyKnown: Bool
    }

    /// Looks at the clock again, which may have been set.
    mutating func evaluate(_ reading: Moment) -> Evaluation {
        let before = (isSound, isChecked, isKnown, isWrong)
        isSound = trust.isSound(reading)
        isKnown = trust.isKnown(reading)
        isChecked = trust.mayBeSentBy(reading)
        let now = trust.corrected(reading)
        isWrong = now.wall != reading.wall
        return Evaluation(
            now: now, hasChanged: isSound != before.0 || isWrong != before.3,
            mustAsk: before.1 && !isChecked, isNewlyKnown: isKnown && !before.2)
    }

    /// The same for a dry run, after which the clock is put back as it was.
    mutating func check(_ reading: Moment) -> Moment {
        var trust = trust
        isSound = trust.isSound(reading)
        return trust.corrected(reading)
    }

    /// A look at the events that were durable when the time was learned.
    struct Review: Sendable {
        /// The events that are still to be reviewed.
        fileprivate var rest: ArraySlice<SequenceNumber>

        /// The number of events in a slice: a millisecond.
        static let slice = 4_096
    }

    /// The time before now was wrong.
    ///
    /// - Parameter events: those that are durable.
    mutating func learn(at now: Monotonic, _ events: [SequenceNumber]) {
        learned = now
        review = Review(rest: events[...])
    }

    /// The events that are to be looked at now; none without a review.
    mutating func takeSlice() -> ArraySlice<SequenceNumber> {
        guard let rest = review?.rest else { return [] }
        let isLast = rest.count <= Review.slice
        review = isLast ? nil : Review(rest: rest.dropFirst(Review.slice))
        return rest.prefix(Review.slice)
    }

    /// An event is durable; one that was being written when the time was learned is repaired later.
    mutating func recordDurable(_ entry: Ledger.Entry) {
        if entry.event.arrival.monotonic <= learned { overtaken.append(entry.number) }
    }

    /// The events that were being written when the time was learned; none while that is unknown.
    mutating func takeOvertaken() -> [SequenceNumber] {
        guard !overtaken.isEmpty, isKnown else { return [] }
        defer { overtaken = [] }
        return overtaken
    }

    /// The events to repair, once the clock is right.
    mutating func takeUntimed() -> [SequenceNumber] {
        guard isSound, isChecked, !untimed.isEmpty else { return [] }
        defer { untimed = [] }
        return untimed
    }
}

/// The state of the relay's own clock.
package enum ClockState: Sendable, Equatable {
    /// The clock is right, as far as known.
    case right
    /// The clock cannot be right: presses wait until it is set.
    case unset
    /// The clock is this many seconds behind Beeminder's; negative when ahead. Beeminder's time is
    /// used meanwhile.
    case wrong(by: Int64)
    /// The clock is this many seconds behind the journal's last press; Beeminder gives no time.
    case doubtful(behind: Int64)
}
