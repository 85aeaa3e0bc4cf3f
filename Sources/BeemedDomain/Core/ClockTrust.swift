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

/// Decides whether the relay's own clock is right, and gives the time if not. A machine without a
/// battery for its clock starts in 1970 or at the last shutdown, and is right only after the
/// network has set it.
///
/// Beeminder's answers give the time. The monotonic clock, which cannot be set, continues it.
struct ClockTrust: Sendable {
    /// Whether the relay's own clock is right. Nothing is sent before it is.
    private(set) var isSound = false
    /// Whether the clock has been compared with Beeminder's, or cannot be.
    private(set) var isCompared = false
    /// Whether Beeminder has confirmed the time, where it is asked. Presses taken before have their
    /// times checked then.
    private(set) var isConfirmed = false
    /// Whether the clock is known to be wrong; then Beeminder's time is used.
    private(set) var isWrong = false
    /// The clock is wrong below this: the program did not exist then.
    let earliest: UnixTime
    /// The last receipt in the journal: an earlier time is doubtful.
    let lastReceipt: UnixTime
    /// When a clock behind the last receipt was first seen.
    private var since: Monotonic?
    private var reference: Reference?
    /// Beeminder's latest times that differ from the clock, and that no other answer confirms.
    private var unconfirmed: [UpstreamTime] = []
    /// Whether an answer has given the time since the last one to a request for it.
    private var hasReceivedTime = false
    /// How often a request for the time got no answer in time, or one that nothing confirms.
    private var failedRequests = 0
    /// Whether nothing waits for Beeminder's time any more: it gives none, or its answers
    /// contradict each other.
    private var hasGivenUp = false

    /// Beeminder's clock.
    private struct Reference: Sendable {
        var time: UpstreamTime
        /// How far the relay's clock was ahead of its monotonic clock then, in milliseconds.
        var lead: Int64
    }

    /// The maximum difference of a right clock from the reference, in seconds.
    static let toleranceSeconds: Int64 = 120
    /// How far a right clock may be behind the last receipt, in seconds: clocks are corrected.
    static let slackSeconds: Int64 = 600
    /// The seconds after which a clock behind the last receipt is trusted when no source gives the
    /// time: the earlier clock may have been wrong.
    static let patience = 900.0
    /// The requests without a confirmed time after which sending no longer waits for it.
    static let maxFailedRequests = 3
    /// The maximum number of remembered times that nothing has confirmed.
    static let maxUnconfirmed = 8
    /// The delay before the next check, in seconds.
    static let checkSeconds = 5.0

    init(earliest: UnixTime, lastReceipt: UnixTime) {
        (self.earliest, self.lastReceipt) = (earliest, lastReceipt)
    }

    /// Looks at the clock again, which may have been set.
    ///
    /// - Returns: the moment by the best known time.
    mutating func evaluate(_ reading: Moment) -> Moment {
        isSound = isSound(reading)
        isCompared = mayBeSentBy(reading)
        isConfirmed = isCompared && isKnown(reading)
        let now = corrected(reading)
        isWrong = now.wall != reading.wall
        return now
    }

    /// Whether the clock can be trusted now, or the right time is known from another source.
    mutating func isSound(_ now: Moment) -> Bool {
        if isKnown(now) { return true }
        guard now.wall >= earliest else { return false }
        if !isBehindReceipt(now) { return true }
        // Beeminder's time is better, and nothing is delivered before Beeminder was asked.
        guard hasGivenUp else { return false }
        let start = since ?? now.monotonic
        since = start
        return now.monotonic >= start.adding(seconds: ClockTrust.patience)
    }

    /// The state to report.
    func state(_ now: Moment) -> ClockState {
        let error = error(now)
        if error != 0 { return .wrong(by: error) }
        if !isSound { return .unset }
        guard !isKnown(now), isBehindReceipt(now) else { return .right }
        return .doubtful(behind: lastReceipt.seconds - now.wall.seconds)
    }

    private func isBehindReceipt(_ now: Moment) -> Bool {
        now.wall < lastReceipt.adding(-ClockTrust.slackSeconds)
    }

    // MARK: Beeminder's clock

    /// Evaluates a time from Beeminder. A time that agrees with the clock counts at once. A time
    /// that differs, also the first of a process, counts when a second answer agrees: a single
    /// wrong one would change the day of all that waits.
    mutating func evaluate(_ time: UpstreamTime, at now: Moment) {
        guard time.time >= earliest else { return }
        hasReceivedTime = true
        let isConfirmed = unconfirmed.contains { ClockTrust.areNear($0.origin, time.origin) }
        if isConfirmed || agrees(time, at: now) {
            unconfirmed = []
            reference = Reference(time: time, lead: ClockTrust.lead(now))
            (failedRequests, hasGivenUp) = (0, false)
            return
        }
        // The first time that differs after answers without any is worth another request.
        if unconfirmed.isEmpty { hasGivenUp = false }
        if unconfirmed.count == ClockTrust.maxUnconfirmed { unconfirmed.removeFirst() }
        unconfirmed.append(time)
    }

    /// Whether Beeminder has given another time than the clock's: one more answer tells which is
    /// right.
    var isContested: Bool { !unconfirmed.isEmpty && !hasGivenUp }

    /// Whether a time is that of the best known clock.
    private func agrees(_ time: UpstreamTime, at now: Moment) -> Bool {
        let distance = time.seconds(at: now) - corrected(now).wall.seconds
        return abs(distance) <= ClockTrust.toleranceSeconds
    }

    private static func areNear(_ one: Int64, _ other: Int64) -> Bool {
        abs(one - other) <= toleranceSeconds * 1_000
    }

    /// A request for the time has ended. If the answer had none, nothing waits for it any longer;
    /// nor after several with times that differ from the clock and from each other.
    mutating func recordAnswer(to question: GoalAnswer) {
        defer { hasReceivedTime = false }
        switch question {
        case .unreachable(_, let isTimeout): failedRequests += isTimeout ? 1 : 0
        case _ where hasReceivedTime: failedRequests += isContested ? 1 : 0
        // Not Beeminder's own words, as of a portal or a proxy: one says nothing of its clock.
        case .unclear: failedRequests += 1
        case .goals, .unchanged, .userOnly, .noUser, .unauthorized:
            failedRequests = ClockTrust.maxFailedRequests
        }
        guard failedRequests >= ClockTrust.maxFailedRequests else { return }
        failedRequests = 0
        // A clock that was compared before, and set since, waits to be compared again.
        if reference == nil || isContested { hasGivenUp = true }
    }

    /// Whether an event may be sent with a time of this clock: the clock was compared with
    /// Beeminder's and not set since, or there is no time to compare with.
    func mayBeSentBy(_ now: Moment) -> Bool {
        !isContested && (isKnown(now) || hasGivenUp)
    }

    // MARK: The time

    /// How far the clock is behind the reference, in seconds; negative when ahead; zero when it is
    /// right or unknown.
    func error(_ now: Moment) -> Int64 { corrected(now).wall.seconds - now.wall.seconds }

    /// The same moment by the reference, when the clock is known to be wrong.
    func corrected(_ now: Moment) -> Moment {
        guard isKnown(now), let error = distance(now), abs(error) > ClockTrust.toleranceSeconds
        else { return now }
        return Moment(wall: now.wall.adding(error), monotonic: now.monotonic)
    }

    /// Whether the reference is valid for this clock. If the clock was set since, Beeminder
    /// must be asked again, unless the clock is right now.
    func isKnown(_ now: Moment) -> Bool {
        guard let reference, let distance = distance(now) else { return false }
        if abs(distance) <= ClockTrust.toleranceSeconds { return true }
        return abs(ClockTrust.lead(now) - reference.lead) <= ClockTrust.toleranceSeconds * 1_000
    }

    /// By how many seconds the reference is later, if the monotonic clock was not stopped.
    private func distance(_ now: Moment) -> Int64? {
        reference.map { $0.time.seconds(at: now) - now.wall.seconds }
    }

    private static func lead(_ now: Moment) -> Int64 {
        now.wall.seconds * 1_000 - now.monotonic.milliseconds
    }
}

extension UpstreamTime {
    /// The time when the monotonic clock began, in milliseconds.
    fileprivate var origin: Int64 { time.seconds * 1_000 - at.milliseconds }

    /// The time that it is now, in seconds since 1970.
    fileprivate func seconds(at now: Moment) -> Int64 {
        (origin + now.monotonic.milliseconds) / 1_000
    }
}

extension Event {
    /// The changed time of an event of an earlier boot. The clock of that boot, or the device's, was
    /// wrong if the time is in the future.
    fileprivate func timeNotInFuture(at now: Moment, boot: String) -> UnixTime? {
        if arrival.wall > now.wall.adding(ClockTrust.toleranceSeconds) {
            let repaired = repairedTime(at: now, boot: boot)
            return repaired == at ? nil : repaired
        }
        guard timeSource == .device, daystamp == nil, at > now.wall.adding(TimeRules.aheadSeconds)
        else { return nil }
        return arrival.wall
    }

    /// The time of receipt, by the monotonic clock.
    ///
    /// - Parameter boot: names this boot of the machine. An event of an earlier boot gets the time
    ///   when this one began; nothing better is known.
    func receivedTime(at now: Moment, boot: String) -> UnixTime {
        let isThisBoot = arrival.boot == boot
        let passed = now.monotonic.milliseconds - (isThisBoot ? arrival.monotonic.milliseconds : 0)
        return now.wall.adding(-max(0, passed) / 1_000)
    }

    /// The repaired time of the event, once the right time is known.
    func repairedTime(at now: Moment, boot: String) -> UnixTime {
        let received = receivedTime(at: now, boot: boot)
        let past = received.adding(-TimeRules.oldestAgeSeconds)
        let latest = received.adding(TimeRules.aheadSeconds)
        switch timeSource {
        case .receipt:
            guard let said = replacedTime, past <= said, said <= latest else { return received }
            return said
        case .age: return received.adding(at.seconds - arrival.wall.seconds)
        case .device where daystamp != nil: return at
        case .device: return at <= latest ? at : received
        }
    }
}

extension Ledger.Entry {
    /// The changed time of an event that was taken before the time was confirmed; nil when
    /// unchanged.
    func checkedTime(at now: Moment, boot: String) -> UnixTime? {
        guard !awaitsTime, recorded.at == nil, attempts == 0 else { return nil }
        guard event.arrival.boot == boot else { return event.timeNotInFuture(at: now, boot: boot) }
        let received = event.receivedTime(at: now, boot: boot)
        let shift = received.seconds - event.arrival.wall.seconds
        let isOff = abs(shift) > ClockTrust.toleranceSeconds
        guard isOff || event.timeSource == .device else { return nil }
        let repaired = event.repairedTime(at: now, boot: boot)
        return repaired == at ? nil : repaired
    }
}
