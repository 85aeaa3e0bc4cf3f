@testable import BeemedDomain

/// The promises made to devices and people. Nothing here knows how they are kept.
struct Promises: Sendable {
    /// The goal, the value and the comment of a press, as its device means them.
    struct Meaning: Hashable, Sendable {
        var goal: String
        var value: Double
        var comment: String

        init(_ press: Press) {
            (goal, value, comment) = (press.goal.description, press.value, press.comment)
        }

        init(_ event: Event) {
            (goal, value, comment) = (event.goal.description, event.value, event.comment)
        }
    }

    /// A meaning that was offered under an event's key.
    struct Offer: Sendable {
        /// Times that the event may bear.
        var times: Set<Int64> = []
        /// The device was told that it was not taken, and has not sent it again since.
        var isTurnedAway = false
    }

    private(set) var accepted: [EventKey: Event] = [:]
    /// Events that are undone, as somebody was told.
    private(set) var takenBack: Set<EventKey> = []
    /// Events that somebody wanted undone, whatever the answer was.
    private(set) var unwanted: Set<EventKey> = []
    /// The times of events that came when the relay's clock was wrong, as they were sent first.
    private var repaired: [EventKey: UnixTime] = [:]
    /// The goals of events that were moved, as somebody was told last.
    private var homes: [EventKey: String] = [:]
    /// The goals to which somebody has wanted an event moved since then, whatever the answer was.
    private var elsewhere: [EventKey: Set<String>] = [:]
    /// Goals that were gone when somebody moved an event away: nothing could be deleted there, and
    /// a datapoint that has arrived is there again if the goal comes back.
    private var gone: [EventKey: Set<String>] = [:]
    private var offers: [EventKey: [Meaning: Offer]] = [:]
    /// Presses that came without an id.
    private var nameless: [Meaning: Set<Int64>] = [:]
    private(set) var violations: [String] = []

    mutating func require(_ holds: Bool, _ words: @autoclosure () -> String) {
        if !holds { violations.append(words()) }
    }

    /// A device sends something.
    mutating func offer(_ press: Press, at now: UnixTime) {
        var times: Set<Int64> = [now.seconds]
        switch press.time {
        case .now: break
        case .timestamp(let time):
            // A relay whose own clock is wrong believes the device.
            if time >= TimeRules.earliest { times.insert(time.seconds) }
            if time >= TimeRules.earliest, time <= now.adding(TimeRules.aheadSeconds) {
                let isOld = time < now.adding(-TimeRules.oldestAgeSeconds)
                times = isOld ? [time.seconds, now.seconds] : [time.seconds]
            }
        case .age(let age): times = [now.seconds - age]
        case .recorded(let time): times = [(time ?? now).seconds]
        }
        let meaning = Meaning(press)
        guard let id = press.id else {
            return nameless[meaning, default: []].formUnion(times)
        }
        let key = press.key(id)
        offers[key, default: [:]][meaning, default: Offer()].times.formUnion(times)
        offers[key]?[meaning]?.isTurnedAway = false
    }

    /// A device is told that nothing was taken.
    ///
    /// - Parameter isKnown: whether the relay has the event from an earlier attempt all the same.
    mutating func turnAway(_ press: Press, isKnown: Bool) {
        guard let id = press.id, !isKnown else { return }
        let key = press.key(id)
        if accepted[key] == nil { offers[key]?[Meaning(press)]?.isTurnedAway = true }
    }

    /// A device is told 200.
    mutating func accept(_ acceptance: Acceptance, for press: Press) {
        let event = acceptance.event
        require(
            Meaning(event) == Meaning(press), "\(event.key) was accepted as another press's")
        if let known = accepted[event.key] {
            require(known == event, "\(event.key) was accepted twice as two events")
            require(acceptance.isDuplicate, "\(event.key) was accepted twice")
        }
        require(isOffered(event), "\(event.key) bears \(event.at.seconds), which nobody said")
        accepted[event.key] = event
    }

    /// The event is one that a device has sent and was not told to be lost.
    func isOffered(_ event: Event) -> Bool {
        let meaning = Meaning(event)
        if let offer = offers[event.key]?[meaning] {
            return !offer.isTurnedAway && offer.times.contains(event.at.seconds)
        }
        return nameless[meaning]?.contains(event.at.seconds) ?? false
    }

    /// Something is being sent to Beeminder.
    mutating func check(_ outgoing: OutgoingDatapoint, of event: Event?) {
        guard let event else { return violations.append("\(outgoing) is of no event") }
        require(isOffered(event), "\(event.key) was sent though it was turned away")
        let known = accepted[event.key] ?? event
        require(
            outgoing.requestID == known.key.requestID && outgoing.value == known.value
                && outgoing.comment == known.comment && outgoing.at == time(of: known, outgoing.at)
                && goals(of: known).contains(outgoing.goal.description),
            "\(event.key) was sent as something else: \(outgoing), known as \(known)")
        require(!takenBack.contains(event.key), "\(event.key) was sent after it was undone")
    }

    /// The time that an event bears: its own, or if the relay's clock was wrong the first that was
    /// ever said of it.
    private mutating func time(of event: Event, _ said: UnixTime) -> UnixTime {
        guard event.arrival.isClockUnset else { return event.at }
        let first = repaired[event.key] ?? said
        repaired[event.key] = first
        return first
    }

    // MARK: Goals

    /// Somebody wants an event at another goal.
    ///
    /// - Parameter left: the goal that it leaves, if that is gone.
    mutating func want(_ key: EventKey, at goal: String, leaving left: String?) {
        elsewhere[key, default: []].insert(goal)
        if let left { gone[key, default: []].insert(left) }
    }

    /// Somebody is told how an event is now, and at which goal.
    mutating func tell(_ view: EventView) {
        homes[view.event.key] = view.goal.description
        elsewhere[view.event.key] = nil
        if view.state == .undone { takenBack.insert(view.event.key) }
    }

    /// Where an event may be sent.
    private func goals(of event: Event) -> Set<String> {
        let home = homes[event.key] ?? event.goal.description
        return elsewhere[event.key, default: []].union([home])
    }

    /// The datapoints of an event, without those at goals that it has left when they were gone.
    private func points(
        of key: EventKey, besides goal: String, _ beeminder: ModelBeeminder
    ) -> [ModelBeeminder.Datapoint] {
        let left = gone[key, default: []].subtracting([goal])
        return beeminder.datapoints(key.requestID).filter { !left.contains($0.goal) }
    }

    // MARK: Another user

    /// Another user has the folder, in which nothing was accepted yet. Events that devices have
    /// sent before may be found as long as the change of users is not durable.
    mutating func beginAnew() {
        (accepted, takenBack, unwanted, repaired) = ([:], [], [], [:])
        (homes, elsewhere, gone) = ([:], [:], [:])
    }

    // MARK: Undo

    /// Somebody wants an event to be undone.
    mutating func want(undone key: EventKey) {
        unwanted.insert(key)
    }

    /// The datapoint of an event that is called erased is not there. A day of a rule may be at the
    /// account of another user, who had the folder before.
    mutating func checkErased(_ key: EventKey, _ beeminder: ModelBeeminder, _ user: String?) {
        let left = gone[key, default: []]
        let points = beeminder.datapoints(key.requestID, of: user).filter {
            !left.contains($0.goal)
        }
        require(points.isEmpty, "\(key) is called erased, and is there")
    }

    /// A start has found this.
    mutating func check(_ recovered: Recovered, besides days: SimulatedDays) {
        var keys: Set<EventKey> = []
        for entry in recovered.entries {
            let key = entry.event.key
            require(keys.insert(key).inserted, "\(key) was found twice")
            let isOffered =
                entry.event.rule == nil
                ? isOffered(entry.event)
                : days.isOffered(entry.recorded.value ?? entry.event.value, of: key)
            require(isOffered, "\(key) was found though nobody sent it")
            if let known = accepted[key] {
                require(known == entry.event, "\(key) was found as something else")
            }
        }
        for key in accepted.keys { require(keys.contains(key), "\(key) was acknowledged and lost") }
    }

    /// When all is over, every promise is kept.
    mutating func checkEnd(_ beeminder: ModelBeeminder, _ core: RelayCore) {
        for (key, event) in accepted {
            let view = core.view.event(key)
            if unwanted.contains(key) {
                checkEnd(undone: key, view, beeminder)
                continue
            }
            if event.value == ModelBeeminder.poison {
                guard case .refused(422, _)? = view?.settlement else {
                    violations.append("\(key) is not shown as refused")
                    continue
                }
                require(beeminder.datapoints(key.requestID).isEmpty, "\(key) was refused and taken")
                continue
            }
            if event.value == ModelBeeminder.disliked, view?.state == .refused {
                require(
                    beeminder.datapoints(key.requestID).isEmpty, "\(key) was refused and is there")
                continue
            }
            let goal = view?.goal.description ?? ""
            let point = ModelBeeminder.Datapoint(
                goal: goal, value: event.value, comment: event.comment,
                at: repaired[key] ?? event.at)
            require(
                points(of: key, besides: goal, beeminder) == [point],
                "\(key) is not at Beeminder, or not once")
            require(goals(of: event).contains(goal), "\(key) is at \(goal)")
            require(view?.state == .delivered, "\(key) is not shown as delivered")
        }
        violations += beeminder.violations
    }

    /// Undone and gone, or if nobody was told so, delivered and there.
    private mutating func checkEnd(
        undone key: EventKey, _ view: EventView?, _ beeminder: ModelBeeminder
    ) {
        let goal = view?.goal.description ?? ""
        let isThere = !points(of: key, besides: goal, beeminder).isEmpty
        switch view?.state {
        case .undone: require(!isThere, "\(key) was undone and is there")
        case .delivered: require(isThere, "\(key) is said to be there")
        case .refused: require(!isThere, "\(key) was refused and is there")
        default: require(false, "\(key) ends as \(view?.state.rawValue ?? "unknown")")
        }
        require(
            !takenBack.contains(key) || view?.state == .undone,
            "\(key) was undone and is \(view?.state.rawValue ?? "unknown")")
    }
}
