@testable import BeemedDomain

/// A core, a journal, and what was said to whom.
struct CoreBench {
    var core: RelayCore
    var rig: JournalRig
    var replies: [UInt64: Reply] = [:]
    var sent: [OutgoingDatapoint] = []
    var batches: [DatapointBatch] = []
    var deletions: [DatapointDeletion] = []
    var appended: [Record] = []
    var wake: Monotonic?
    var fetches = 0
    /// How often another user has taken over the folder.
    var takeovers = 0
    var now = Moment(wall: UnixTime(1_760_000_000), monotonic: Monotonic(milliseconds: 0))
    private var replyID: UInt64 = 0

    init(
        heldBytes: Int = RelayCore.heldBytes, disk: SimulatedDisk = SimulatedDisk(),
        now: Moment? = nil, goals: GoalBook = GoalBook(), token: TokenUser? = nil,
        remembered: Int = Ledger.Limits.events, asksUpstreamTime: Bool = false,
        boot: String = "b00t", limits: Journal.Limits = .plain
    ) throws {
        rig = try JournalRig(disk, limits: limits)
        let recovered = token == nil ? CoreBench.owned(rig.recovered) : rig.recovered
        core = RelayCore(
            recovered, under: rig.receipt, goals: goals, boot: boot, seed: 1,
            heldBytes: heldBytes, remembered: remembered, began: (now ?? self.now).monotonic)
        if let now { self.now = now }
        if !asksUpstreamTime { tellTime() }
        connect(token ?? .named("alice"))
    }

    /// The same journal in a folder that is alice's, unless it names another user.
    private static func owned(_ recovered: Recovered) -> Recovered {
        var recovered = recovered
        recovered.user = recovered.user ?? FolderUser(name: "alice", id: nil)
        return recovered
    }

    /// Another relay takes over the journal.
    mutating func takeOver() throws {
        try rig.reopen()
        core = RelayCore(
            CoreBench.owned(rig.recovered), under: rig.receipt, boot: "b00u", seed: 2,
            began: now.monotonic)
        appended = []
        tellTime()
        connect(.named("alice"))
        learn()
    }

    /// An answer of Beeminder gives the time of the relay's clock.
    mutating func tellTime() {
        apply(.receivedTime(UpstreamTime(now.wall, at: now.monotonic)))
    }

    mutating func connect(_ token: TokenUser) { apply(.connected(token)) }

    @discardableResult
    mutating func undo(_ id: String) -> UInt64 {
        replyID += 1
        apply(.command(.undo(CoreBench.key(id)), ReplyID(replyID)))
        return replyID
    }

    @discardableResult
    mutating func retry(_ id: String, to goal: String? = nil) -> UInt64 {
        replyID += 1
        apply(
            .command(
                .retry(CoreBench.key(id), goal: goal.map(GoalSlug.known)), ReplyID(replyID)))
        return replyID
    }

    /// Asks whether there is such a goal.
    mutating func doubt(_ goal: String) -> UInt64 {
        replyID += 1
        apply(.command(.find(.known(goal)), ReplyID(replyID)))
        return replyID
    }

    /// How an event is, as whoever asked for a change was told.
    func change(_ replyID: UInt64) -> EventView? {
        guard case .changed(let view)? = replies[replyID] else { return nil }
        return view
    }

    func view(_ id: String) -> EventView? { core.view.event(CoreBench.key(id)) }

    /// The number of an event.
    func number(_ id: String) -> SequenceNumber { core.ledger[CoreBench.key(id)]?.number ?? 0 }

    /// Beeminder says whose the account is and which goals there are.
    mutating func learn(
        _ goals: [Goal] = [Goal(slug: .known("pushups"))], user: String = "alice",
        timezone: String? = "UTC"
    ) {
        let user = UpstreamUser(name: user, timezone: timezone)
        apply(.fetched(.goals(goals, user: user)))
    }

    /// The same, with all that Beeminder says of the user.
    mutating func learn(
        _ user: UpstreamUser, _ goals: [Goal] = [Goal(slug: .known("pushups"))]
    ) {
        apply(.fetched(.goals(goals, user: user)))
    }

    private static func key(_ id: String) -> EventKey {
        EventKey(device: .known("button"), id: .known(id))
    }

    @discardableResult
    mutating func apply(_ input: Input) -> [Effect] {
        if case .woke = input { wake = nil }
        return change { core, now, effects in core.apply(input, at: now, &effects) }
    }

    /// Changes the core and notes the effects.
    @discardableResult
    private mutating func change(
        _ body: (RelayCore, Moment, inout Effects) -> Void
    ) -> [Effect] {
        var effects = Effects()
        body(core, now, &effects)
        for (replyID, reply) in effects.replies { replies[replyID.value] = reply }
        appended += effects.records
        for effect in effects.others {
            switch effect {
            case .send(let batch):
                sent += batch.datapoints
                batches.append(batch)
            case .erase(let deletion): deletions.append(deletion)
            case .fetchGoals: fetches += 1
            case .saveGoals, .offerFolder, .presentDayKnown: break
            case .forgetFormerUser: takeovers += 1
            case .wake(let time): wake = time
            }
        }
        return effects.others
    }

    @discardableResult
    mutating func press(_ press: Press) -> UInt64 {
        replyID += 1
        let id = ReplyID(replyID)
        change { core, now, effects in core.accept(press, id, at: now, &effects) }
        return replyID
    }

    @discardableResult
    mutating func command(_ command: Command) -> UInt64 {
        replyID += 1
        apply(.command(command, ReplyID(replyID)))
        return replyID
    }

    /// Makes everything durable that was appended.
    mutating func commit() throws {
        var rest = appended[...]
        appended = []
        while !rest.isEmpty {
            let receipt = try rig.journal.commit(rest, live: core.live)
            rest = rest.drop { $0.number <= receipt.through }
            process(receipt)
        }
    }

    /// Makes this durable, with what was appended before.
    @discardableResult
    mutating func commit<Result>(
        _ change: (inout CoreBench) throws -> Result
    ) throws -> Result {
        let result = try change(&self)
        try commit()
        return result
    }

    /// The process ends without a word, and another one begins with what the disk has.
    mutating func restart(
        now: Moment? = nil, goals: GoalBook = GoalBook(), token: TokenUser? = nil,
        remembered: Int = Ledger.Limits.events, asksUpstreamTime: Bool = false,
        boot: String = "b00t"
    ) throws {
        rig.disk.kill()
        self = try CoreBench(
            disk: rig.disk, now: now, goals: goals, token: token, remembered: remembered,
            asksUpstreamTime: asksUpstreamTime, boot: boot)
    }

    /// Does what the journal's thread and the loop do between batches.
    mutating func maintain() throws {
        while try rig.journal.maintain(live: core.live, time: now.wall) {}
        while let request = rig.journal.carrying(core.live) {
            carry(request)
            guard !appended.isEmpty else { break }
            try commit()
        }
        while try rig.journal.maintain(live: core.live, time: now.wall) {}
    }

    /// States again what the journal asks for.
    mutating func carry(_ request: CarryRequest) {
        change { core, _, effects in core.carry(request, &effects) }
    }

    /// The journal has made records durable.
    mutating func process(_ receipt: Receipt) {
        change { core, now, effects in core.receive(receipt, at: now, &effects) }
        change { core, now, effects in core.followUp(at: now, &effects) }
    }

    /// Makes durable what was appended, up to the replies: requests do not begin.
    mutating func commitBeforeFollowUp() throws {
        let receipt = try rig.journal.commit(appended, live: core.live)
        appended = []
        var effects = Effects()
        core.receive(receipt, at: now, &effects)
    }

    /// Says what came of an event that was sent last by itself; of one that never was sent, too.
    mutating func deliver(_ number: SequenceNumber, _ outcome: Outcome) {
        let batch = batches.last { $0.datapoints.contains { $0.number == number } }
        let outgoing = OutgoingDatapoint(
            number: number, goal: .known("pushups"), requestID: "none", value: 1, comment: "",
            at: now.wall)
        apply(
            .delivered(
                batch ?? DatapointBatch(.known("pushups"), [outgoing]), .whole(outcome)))
    }

    /// Says what came of the last deletion.
    mutating func erase(_ outcome: Outcome) {
        if let deletion = deletions.last { apply(.erased(deletion, outcome)) }
    }

    mutating func reject() {
        appended = []
        apply(.rejected(rig.journal.receipt))
    }

    mutating func pass(seconds: Double) {
        now.monotonic = now.monotonic.adding(seconds: seconds)
        now.wall = now.wall.adding(Int64(seconds))
        apply(.woke)
    }

    func acceptance(_ replyID: UInt64) -> Acceptance? {
        guard case .accepted(let acceptance)? = replies[replyID] else { return nil }
        return acceptance
    }

    /// The name of a refusal's case; nil for another reply.
    func refusal(_ replyID: UInt64) -> String? {
        guard case .refused(let refusal)? = replies[replyID] else { return nil }
        return Mirror(reflecting: refusal).children.first?.label ?? "\(refusal)"
    }

    func isFull(_ replyID: UInt64) -> Bool {
        switch replies[replyID] {
        case .refused(.diskFull), .refused(.tooManyWaiting), .refused(.tooManyUnsent),
            .refused(.tooManyRefused):
            true
        default: false
        }
    }

    func state(_ id: String) -> EventState? {
        core.view.event(EventKey(device: .known("button"), id: .known(id)))?.state
    }
}
