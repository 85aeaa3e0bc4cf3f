/// Whether the relay's own clock can be believed. A machine without a battery for it starts in 1970
/// or at the last shutdown, and is right only when the network has told it the time.
struct ClockTrust: Sendable {
    /// The clock cannot be right below this: the program did not exist then.
    let earliest: UnixTime
    /// The last receipt in the journal: time does not run backwards.
    let lastReceipt: UnixTime
    private var since: Monotonic?

    /// How far behind the last receipt a right clock may be, in seconds: clocks are corrected.
    static let slackSeconds: Int64 = 600
    /// After so many seconds a clock behind the last receipt is believed all the same: it may have
    /// been the earlier one that was wrong.
    static let patience = 900.0

    init(earliest: UnixTime, lastReceipt: UnixTime) {
        self.earliest = earliest
        self.lastReceipt = lastReceipt
    }

    /// Whether it can be believed now.
    mutating func isSound(_ now: Moment) -> Bool {
        guard now.wall >= earliest else { return false }
        if now.wall >= lastReceipt.adding(-ClockTrust.slackSeconds) { return true }
        let start = since ?? now.monotonic
        since = start
        return now.monotonic >= start.adding(seconds: ClockTrust.patience)
    }

    /// How long until the next look, in seconds.
    static let checkSeconds = 5.0
}

extension Event {
    /// When it happened, now that the relay's clock is right.
    ///
    /// - Parameter boot: names this boot of the machine. What came under an earlier one came before
    ///   this one began; nobody knows better.
    func repairedTime(at now: Moment, boot: String) -> UnixTime {
        let isThisBoot = arrival.boot == boot
        let passed = now.monotonic.milliseconds - (isThisBoot ? arrival.monotonic.milliseconds : 0)
        let received = now.wall.adding(-max(0, passed) / 1_000)
        switch timeSource {
        case .receipt: return received
        case .age: return received.adding(at.seconds - arrival.wall.seconds)
        case .device where daystamp != nil: return at
        case .device: return at <= received.adding(TimeRules.aheadSeconds) ? at : received
        }
    }
}
