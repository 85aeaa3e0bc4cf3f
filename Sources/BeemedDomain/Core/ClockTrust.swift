/// Whether the relay's own clock can be believed, and what the time is when it cannot. A machine
/// without a battery for its clock starts in 1970 or at the last shutdown, and is right only when
/// the network has told it the time.
///
/// Beeminder's answers tell the time, and so do devices that agree. What they say is carried on by
/// the monotonic clock, which nobody sets.
struct ClockTrust: Sendable {
    /// The clock cannot be right below this: the program did not exist then.
    let earliest: UnixTime
    /// The last receipt in the journal: time does not run backwards.
    let lastReceipt: UnixTime
    /// Whether Beeminder is asked for the time before anything is sent.
    let asksUpstream: Bool
    /// When a clock behind the last receipt was first looked at.
    private var since: Monotonic?
    private var reference: Reference?
    /// Devices whose timestamps were ahead of the clock, the latest ones.
    private var witnesses: [(device: DeviceName, time: UpstreamTime)] = []
    /// How often nobody has answered in time when Beeminder was asked.
    private var timeouts = 0
    /// Whether Beeminder, or a server on the way, has answered without telling the time.
    private var hasAskedInVain = false

    /// Another clock than the relay's own.
    private struct Reference: Sendable {
        var time: UpstreamTime
        var source: ClockSource
        /// How far the relay's clock was ahead of its monotonic one then, in milliseconds.
        var lead: Int64
    }

    /// How far from the reference a right clock may be, in seconds.
    static let toleranceSeconds: Int64 = 120
    /// How far behind the last receipt a right clock may be, in seconds: clocks are corrected.
    static let slackSeconds: Int64 = 600
    /// After so many seconds a clock behind the last receipt is believed when nobody can tell the
    /// time: it may have been the earlier one that was wrong.
    static let patience = 900.0
    /// After so many unanswered questions the time is not waited for: something else may answer.
    static let mostTimeouts = 3
    /// Devices that are remembered as witnesses.
    static let mostWitnesses = 8
    /// How long until the next look, in seconds.
    static let checkSeconds = 5.0

    init(earliest: UnixTime, lastReceipt: UnixTime, asksUpstream: Bool = false) {
        self.earliest = earliest
        self.lastReceipt = lastReceipt
        self.asksUpstream = asksUpstream
    }

    /// Whether it can be believed now, or what the time is instead is known.
    mutating func isSound(_ now: Moment) -> Bool {
        if isKnown(now) { return true }
        guard now.wall >= earliest else { return false }
        if !isBehindReceipt(now) { return true }
        // Beeminder knows better, and nothing is delivered before it was asked.
        guard !asksUpstream || hasAskedInVain else { return false }
        let start = since ?? now.monotonic
        since = start
        return now.monotonic >= start.adding(seconds: ClockTrust.patience)
    }

    /// What is to be said of the clock.
    func state(_ now: Moment, isSound: Bool) -> ClockState {
        let error = error(now)
        if error != 0, let reference { return .wrong(by: error, reference.source) }
        if !isSound { return .unset }
        guard !isKnown(now), isBehindReceipt(now) else { return .right }
        return .doubtful(behind: lastReceipt.seconds - now.wall.seconds)
    }

    private func isBehindReceipt(_ now: Moment) -> Bool {
        now.wall < lastReceipt.adding(-ClockTrust.slackSeconds)
    }

    // MARK: Other clocks

    /// Takes what Beeminder says.
    ///
    /// - Returns: whether that is news: it was not known before, or is another time now.
    mutating func hear(_ time: UpstreamTime, at now: Moment) -> Bool {
        guard time.time >= earliest else { return false }
        return take(time, from: .beeminder, at: now)
    }

    /// Takes what a device says the time was when it was pressed: that is past, so a clock that is
    /// behind it is wrong, if another device agrees.
    ///
    /// - Returns: whether that is news.
    mutating func hear(_ device: DeviceName, said time: UnixTime, at now: Moment) -> Bool {
        let isAhead = time.seconds - now.wall.seconds > ClockTrust.toleranceSeconds
        guard isAhead, reference?.source != .beeminder || !isKnown(now) else { return false }
        let said = UpstreamTime(time, at: now.monotonic)
        witnesses.removeAll { $0.device == device }
        if witnesses.count == ClockTrust.mostWitnesses { witnesses.removeFirst() }
        let others = witnesses
        witnesses.append((device, said))
        let agreeing = others.filter {
            abs($0.time.origin - said.origin) <= ClockTrust.toleranceSeconds * 1_000
        }
        guard let latest = (agreeing.map(\.time) + [said]).max(by: { $0.origin < $1.origin }),
            !agreeing.isEmpty
        else { return false }
        return take(latest, from: .devices, at: now)
    }

    private mutating func take(
        _ time: UpstreamTime, from source: ClockSource, at now: Moment
    ) -> Bool {
        let before = isKnown(now) ? corrected(now).wall : nil
        reference = Reference(time: time, source: source, lead: ClockTrust.lead(now))
        guard let before else { return true }
        return abs(corrected(now).wall.seconds - before.seconds) > ClockTrust.toleranceSeconds
    }

    /// Beeminder has answered; what did not tell the time is not waited for any longer.
    mutating func noteAnswer(to question: GoalAnswer) {
        switch question {
        case .unreachable(_, let isTimeout):
            if isTimeout { timeouts += 1 }
            if timeouts >= ClockTrust.mostTimeouts { hasAskedInVain = true }
        default: hasAskedInVain = true
        }
    }

    /// Whether something may be sent with a time of this clock: it was compared with Beeminder's
    /// and nobody has set it since, or there is nothing to compare it with.
    func mayBeSentBy(_ now: Moment) -> Bool {
        guard asksUpstream else { return true }
        if reference?.source == .beeminder { return isKnown(now) }
        return hasAskedInVain
    }

    // MARK: The time

    /// How far the clock is behind the reference, in seconds, less than zero when it is ahead; zero
    /// when it is right, or nobody knows.
    func error(_ now: Moment) -> Int64 { corrected(now).wall.seconds - now.wall.seconds }

    /// The same moment by the reference, when the clock is wrong and that is known.
    func corrected(_ now: Moment) -> Moment {
        guard isKnown(now), let error = distance(now), abs(error) > ClockTrust.toleranceSeconds
        else { return now }
        return Moment(wall: now.wall.adding(error), monotonic: now.monotonic)
    }

    /// Whether the reference is good for this clock. When the clock was set since, or the machine
    /// has slept, which stops the monotonic clock, Beeminder has to be asked again; unless the
    /// clock is right by now.
    func isKnown(_ now: Moment) -> Bool {
        guard let reference, let distance = distance(now) else { return false }
        if abs(distance) <= ClockTrust.toleranceSeconds { return true }
        return abs(ClockTrust.lead(now) - reference.lead) <= ClockTrust.toleranceSeconds * 1_000
    }

    /// By how many seconds the reference is later, if no time has been lost since.
    private func distance(_ now: Moment) -> Int64? {
        reference.map { ($0.time.origin + now.monotonic.milliseconds) / 1_000 - now.wall.seconds }
    }

    private static func lead(_ now: Moment) -> Int64 {
        now.wall.seconds * 1_000 - now.monotonic.milliseconds
    }
}

extension UpstreamTime {
    /// What the time was when the monotonic clock began, in milliseconds.
    fileprivate var origin: Int64 { time.seconds * 1_000 - at.milliseconds }
}

extension Event {
    /// When it happened, now that the right time is known.
    ///
    /// - Parameter boot: names this boot of the machine. What came under an earlier one came before
    ///   this one began; nobody knows better.
    func repairedTime(at now: Moment, boot: String) -> UnixTime {
        let isThisBoot = arrival.boot == boot
        let passed = now.monotonic.milliseconds - (isThisBoot ? arrival.monotonic.milliseconds : 0)
        let received = now.wall.adding(-max(0, passed) / 1_000)
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
