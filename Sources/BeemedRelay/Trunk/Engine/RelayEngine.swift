package import BeemedDomain

/// An account: its events, its journal, and its requests to Beeminder.
///
/// Requests that wait for a reply come in by `submit`, all else by `handle`. `endTurn`
/// is the only way out: it passes the records of a turn to the journal, takes the journal's outcomes,
/// and returns the replies whose records are durable. When
/// they are sent, `followUp` acts on what has become durable. All of it runs on the loop.
package final class RelayEngine {
    struct Turn {
        /// Replies, in order; `takeRecipient` has who waits for each.
        var replies: [(replyID: ReplyID, reply: Reply)] = []
        var isPresentDayKnown = false
        /// Why batches found no room in the journal.
        var rejections: [DiskError] = []
        /// Whether the token's user may have the folder.
        var isFolderOffered = false
        /// Whether another user has the folder now.
        var isTakenOver = false
        /// The journal has ended: no more is accepted.
        var end: JournalEnd?
    }

    enum JournalEnd {
        /// As requested, if need be with an error.
        case closed(ExitCode)
        /// The state of the disk is unknown: only a new process can accept presses again.
        case failed
    }

    /// The decisions, for reading. Only this engine changes them.
    package let core: RelayCore
    let upstream: BeeminderClient
    /// The result of journal recovery, and what else was found damaged since.
    private(set) var recoveryReport: RecoveryReport
    /// The time of the last successful sync; a start with a writable disk syncs all live events.
    private(set) var lastSync: UnixTime?
    /// Why the journal last had no room; nil if there always was some.
    private(set) var obstacle: DiskError?
    /// When `wake()` must be called; nil when nothing waits for time.
    private(set) var wakeAt: Monotonic?
    private let clock: @Sendable () -> Moment
    private let files: SettingsFiles
    private let log: Log
    /// Receives Beeminder's results; nil before the engine is started.
    private var report: (@Sendable (Input) -> Void)?
    private var writer: JournalWriter?
    /// The requests that wait for a reply, by the values of their ids.
    private var recipients: [UInt64: Recipient] = [:]
    private var lastReplyID: UInt64 = 0
    /// The core's effects that are not done yet: records and replies wait for `commit`.
    private var effects = Effects()
    private var turn = Turn()
    /// The requests of all kinds since the last batch of records: whether others come beside a press
    /// decides who waits for the disk.
    var requestCount = 0
    /// Whether the last records for which a request waited were written in place.
    private var writesInPlace = false
    /// Whether something became durable that `followUp` acts on.
    private var owesDelivery = false
    /// The findings that were raised.
    private var raised = 0

    init(
        _ core: RelayCore, _ recoveryReport: RecoveryReport, _ upstream: BeeminderClient,
        _ files: SettingsFiles, _ log: Log, clock: @escaping @Sendable () -> Moment
    ) {
        self.core = core
        self.recoveryReport = recoveryReport
        self.upstream = upstream
        self.files = files
        self.log = log
        self.clock = clock
        obstacle = recoveryReport.obstacle
        if recoveryReport.obstacle == nil { lastSync = clock().wall }
    }

    /// Adds a finding about which a person must be told until the next start, at most 10 of them.
    package func raise(_ alarm: String) {
        guard raised < 10 else { return }
        raised += 1
        recoveryReport.add(alarm)
    }

    /// Attaches the journal's writer, and the receiver of Beeminder's results, on any thread.
    func start(_ writer: JournalWriter, report: @escaping @Sendable (Input) -> Void) {
        (self.writer, self.report) = (writer, report)
        upstream.onTime { time in report(.receivedTime(time)) }
    }

    /// Reads the journal's lines that are in no file of the folder; nil where there are none.
    package var remoteLines: RemoteLines? { writer?.remoteLines }

    /// Whether a request with presses is under way, or may begin with the next `followUp`.
    var isSending: Bool { owesDelivery || core.isSending }

    var syncTimes: SyncTimes { writer?.syncTimes ?? SyncTimes() }

    // MARK: In

    /// Passes a press to the core. The reply comes with a later `commit`.
    package func submit(_ press: Press, at now: Moment, for recipient: consuming Recipient) {
        core.accept(press, replyID(for: recipient), at: now, &effects)
        performEffects()
    }

    /// Passes a command to the core. The reply comes with a later `commit`.
    package func submit(_ command: Command, at now: Moment, for recipient: Recipient) {
        apply(.command(command, replyID(for: recipient)), at: now)
    }

    private func replyID(for recipient: consuming Recipient) -> ReplyID {
        lastReplyID += 1
        recipients[lastReplyID] = recipient
        return ReplyID(lastReplyID)
    }

    /// Passes on what waits for no reply: a result, a change of the account, a request to send now.
    package func handle(_ input: Input) { apply(input, at: clock()) }

    /// Looks at the clock, which may have been set since the last input.
    package func checkClock() {
        core.followUp(at: clock(), &effects)
        performEffects()
    }

    /// The time `wakeAt` has come. The core does not cancel a time that has passed, so it is cleared
    /// here: else it would wake the loop again at once, for as long as Beeminder does not answer.
    func wake() {
        wakeAt = nil
        handle(.woke)
    }

    private func apply(_ input: Input, at now: Moment) {
        core.apply(input, at: now, &effects)
        performEffects()
    }

    private func performEffects() {
        guard !effects.others.isEmpty else { return }
        for effect in effects.takeOthers() { perform(effect) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let batch):
            upstream.send(batch) { [log, report] result in
                log.delivery(batch, result)
                report?(.delivered(batch, result))
            }
        case .erase(let deletion):
            upstream.erase(deletion) { [log, report] outcome in
                log.deletion(deletion, outcome)
                report?(.erased(deletion, outcome))
            }
        case .fetchGoals(let since, let names):
            upstream.fetchGoals(since: since, names: names) { [log, report] answer in
                log.goals(answer)
                report?(.fetched(answer))
            }
        case .saveGoals(let book): files.save(.goals) { $0.save(book, $1) }
        case .offerFolder: turn.isFolderOffered = true
        case .forgetFormerUser: turn.isTakenOver = true
        case .presentDayKnown: turn.isPresentDayKnown = true
        case .wake(let time): wakeAt = time
        }
    }

    // MARK: Out

    /// Submits the turn's records to the journal. On a fast disk they are synced when this returns,
    /// and their replies belong to the same turn.
    func endTurn() -> Turn {
        repeat {
            for outcome in writer?.takeOutcomes() ?? [] { handle(outcome) }
            guard !effects.records.isEmpty else { break }
            let isInPlace = writer?.submit(
                effects.records, isUrgent: effects.isUrgent, live: core.live,
                requests: requestCount)
            if effects.isUrgent { writesInPlace = isInPlace ?? false }
            effects.dropRecords()
            requestCount = 0
        } while turn.end == nil
        defer { turn = Turn() }
        turn.replies = effects.takeReplies()
        return turn
    }

    /// Takes who waits for a reply.
    func takeRecipient(for replyID: ReplyID) -> Recipient? {
        recipients.removeValue(forKey: replyID.value)
    }

    /// Does the other work that has waited for a receipt: requests to Beeminder begin. Call this
    /// when the answers are sent: nobody waits for it.
    ///
    /// - Returns: whether `commit` must pass on the results.
    func followUp() -> Bool {
        guard owesDelivery else { return false }
        owesDelivery = false
        if writesInPlace { writer?.writeMark() }
        let now = clock()
        core.followUp(at: now, &effects)
        performEffects()
        return !effects.records.isEmpty || !effects.replies.isEmpty || turn.isPresentDayKnown
            || turn.isFolderOffered
    }

    private func handle(_ outcome: CommitOutcome) {
        switch outcome {
        case .committed(let receipt):
            let now = clock()
            lastSync = now.wall
            core.receive(receipt, at: now, &effects)
            performEffects()
            owesDelivery = true
        case .rejected(let receipt, let error):
            turn.rejections.append(error)
            obstacle = error
            apply(.rejected(receipt), at: clock())
        case .wantsCarrying(let request):
            core.carry(request, &effects)
            performEffects()
        case .failed(let error):
            log.error(
                error.isDeposed
                    ? "another relay leads, or may; this one follows"
                    : "the disk failed; nothing more can be promised", [("cause", error.cause)])
            effects.dropRecords()
            turn.end = .failed
        case .closed(let error):
            if let error { log.error("journal not closed", [("cause", error.cause)]) }
            turn.end = .closed(error == nil ? .ok : .ioError)
        }
    }

    /// Takes all who wait, in order, after a failure of the disk.
    func abandon() -> [Recipient] {
        defer { recipients = [:] }
        return recipients.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Closes the journal; a later turn has the end.
    func close() { writer?.close() }
}
