import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Bodies of health data, one after the other, so that the newest value counts; read off the loop.
final class HealthQueue: LeafState {
    let rules: LiveBook<HealthRule>
    var seen: SeenMetrics
    /// The numbers of the bodies that wait until the present day is known, in order.
    var held: [Int]
    /// Reads bodies, and keeps samples.
    let work = SerialQueue()
    /// Whether a body is in work: read, or with its days on their way.
    private var isWorking = false
    /// Held bodies are of the folder's user, too.
    var isBusy: Bool { isWorking || !held.isEmpty }
    /// Bodies that wait for it, in order.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Small bodies that may wait or be read at once.
    static let maxSmall = 32
    /// The same of large ones.
    static let maxLarge = 2
    /// The size up to which a body is small, in bytes.
    private static let smallBytes = 65_536

    init(_ rules: RuleBook, _ seen: SeenMetrics, _ held: [Int]) {
        (self.rules, self.seen, self.held) = (LiveBook(rules), seen, held)
    }

    func note(_ event: LeafEvent, in relay: isolated Relay) {
        switch event {
        // Bodies that the disk or a limit kept from being read are tried again.
        case .presentDayKnown, .devicesChanged: readHeld(in: relay)
        default: break
        }
    }

    /// Does the work on a body when that on all bodies before it is done.
    func inTurn<Value, Failure>(
        in relay: isolated Relay,
        _ work: nonisolated(nonsending) () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await withCheckedContinuation { continuation in
            // Asked here: to begin to wait may take a turn of the loop, in which the work ends.
            if isWorking {
                waiting.append(continuation)
            } else {
                isWorking = true
                continuation.resume()
            }
        }
        defer {
            isWorking = !waiting.isEmpty
            if isWorking { waiting.removeFirst().resume() }
        }
        return try await work()
    }

    func forgetUser(in relay: isolated Relay) -> (@Sendable (RelayStore, Log) -> Void)? {
        seen = SeenMetrics()
        held = []
        // In turn: bodies of the new user come behind it.
        work.add { [store = relay.files.store] in store.removeSamples() }
        return { [work] store, log in
            work.finish()
            _ = store.save(SeenMetrics(), as: .seenMetrics, log)
        }
    }

    // MARK: Bodies

    /// `POST /health`: days of metrics, from any sender.
    static func receive(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        relay.engine.checkClock()
        let (health, core) = (relay.health, relay.engine.core)
        // Before its samples are stored: without an account nothing is taken.
        if core.view.sync == .notConnected { throw .notConnected }
        let isLarge = { (call: Call) in call.bodyBytes > smallBytes }
        let places = isLarge(call) ? maxLarge : maxSmall
        let others = relay.begun(like: call).filter { isLarge($0) == isLarge(call) }
        // The samples of the folder's former user are still there.
        guard !core.account.isBeingTakenOver else { throw .crowded }
        try Slots.check(call, among: places, heldBy: others)
        let isDryRun = try BodyReader.fields(ofQuery: call.request.target.query).isDryRun
        // The call forgets a long content when this returns.
        let body = HeldBody(call, core)
        return relay.later(call) { () async throws(Problem) in
            try await health.inTurn(in: relay) { () async throws(Problem) in
                // Bodies before it may have taken a while.
                relay.engine.checkClock()
                let core = relay.engine.core
                let mustWait = !health.held.isEmpty || !core.view.lastCalendar.isZoneKnown
                let reading = try await health.parse(
                    body, isDryRun: isDryRun,
                    known: mustWait ? .none : core.isTimeSure ? .all : .named, in: relay)
                guard let reading else { return try await health.hold(body, in: relay) }
                return try await health.apply(reading, of: body, in: relay)
            }
        }
    }

    /// Parses a body by the clock, the calendar and the rules of now; nil when its days cannot be
    /// known yet.
    func parse(
        _ body: HeldBody, isDryRun: Bool = false, known: HealthReading.KnownDays = .all,
        in relay: isolated Relay
    ) async throws(Problem) -> HealthReading? {
        let core = relay.engine.core
        // As presses: the relay may know that its clock is wrong.
        let (now, boot) = (core.view.corrected(relay.clock()), core.view.boot)
        let received = body.received(at: now, boot: boot)
        let source = HealthBody.Source(
            calendar: core.view.lastCalendar, now: received ?? now.wall,
            isReceiptKnown: received != nil, summary: body.summary)
        let job = HealthReading.Job(
            bytes: Array(body.bytes), source: source, rules: rules.book, goals: body.goals,
            store: relay.files.store, isDryRun: isDryRun, known: known)
        return try await work.run { () throws(Problem) in
            defer { if job.bytes.count > HealthQueue.smallBytes { FreedMemory.giveBack() } }
            return try HealthReading(job)
        }
    }

    // MARK: Readings

    @discardableResult func apply(
        _ reading: HealthReading, of body: HeldBody, in relay: isolated Relay
    ) async throws(Problem) -> Response {
        if !reading.isDryRun { recordSeen(reading, of: body, relay.files) }
        for alarm in reading.alarms {
            relay.log.error("stored samples are damaged", [("cause", alarm)])
            relay.engine.raise(alarm)
        }
        var reading = reading
        var visits: [Reply?] = []
        let (engine, now, replies) = (relay.engine, relay.clock(), Replies())
        for index in order(of: reading, engine.core) {
            let total = reading.days[index].total
            if reading.isDryRun {
                reading.days[index].reply = engine.core.totals.rehearse(total, at: now)
            } else {
                let reply = replies.expected { reading.days[index].reply = $0 }
                engine.submit(.total(total), at: now, for: reply)
            }
        }
        if !reading.isDryRun {
            for press in presses(ofVisitsIn: reading, body) {
                engine.submit(press, at: now, for: replies.expected { visits.append($0) })
            }
        }
        try await replies.all(in: relay)
        let days = reading.days.map(\.reply).filter { reply in
            if case .refused(.conflict)? = reply { false } else { true }
        }
        // The sender must send all of it again.
        for case .refused(let why)? in days + visits { throw why.problem }
        // OwnTracks reads the answer as a list of commands.
        if reading.body.isOwnTracks { return .json(Array("[]\n".utf8)) }
        return .ok(reading.write)
    }

    /// The days that count, those first whose value does not fall: what is sent keeps that order.
    private func order(of reading: HealthReading, _ core: RelayCore) -> [Int] {
        let counting = reading.days.indices.filter { reading.days[$0].ignored == nil }
        let lower = Set(counting.filter { core.totals.isLower(reading.days[$0].total) })
        return counting.filter { !lower.contains($0) } + lower.sorted()
    }

    private func recordSeen(
        _ reading: HealthReading, of body: HeldBody, _ files: SettingsFiles
    ) {
        let now = UnixTime(body.wall)
        seen.note(reading.body.unread, from: "\(body.device)", at: now)
        seen.note(reading.newest, at: now)
        files.save(.seenMetrics) { [seen] in $0.save(seen, as: .seenMetrics, $1) }
        for (name, unit) in reading.units {
            files.amend("\(name)", in: rules) { $0.unit = $0.unit ?? unit }
        }
    }

    private func presses(ofVisitsIn reading: HealthReading, _ body: HeldBody) -> [Press] {
        reading.visits.map { rule, goal, sample in
            var press = Press(
                device: body.device, generation: body.generation,
                id: EventID("\(rule)-\(sample.start)"), goal: goal, comment: sample.metric,
                time: .timestamp(UnixTime(sample.start)))
            press.wantsSuggestion = false
            return press
        }
    }
}

extension Relay {
    var health: HealthQueue { state() }
}

extension HealthReading {
    fileprivate func write(to json: inout JSONWriter) {
        if isDryRun { json.add("dryRun", true) }
        json.addArray("days", of: days) { $0.write(to: &$1) }
        json.addArray("unmapped", of: unmapped)
        guard !body.unread.isEmpty else { return }
        json.addArray("unread", of: body.unread) { $0.write(to: &$1) }
        json.add("unreadCount", Int64(body.unreadCount))
    }
}

extension HealthReading.Day {
    fileprivate func write(to json: inout JSONWriter) {
        var (goal, value) = (total.goal, total.value)
        // Another event has the id, unless another reason to ignore the day is known.
        var (state, why) = ("ignored", Optional(ignored ?? "id"))
        if case .total(let answer)? = reply {
            (goal, value, state, why) = (answer.goal, answer.value, answer.state.word, nil)
            if case .ignored(let reason) = answer.state { why = reason.rawValue }
        }
        json.add("rule", total.rule.description)
        json.add("goal", goal.description)
        json.add("day", total.day.dashed)
        json.add("value", value)
        json.add("state", state)
        if let why { json.add("why", why) }
    }
}
