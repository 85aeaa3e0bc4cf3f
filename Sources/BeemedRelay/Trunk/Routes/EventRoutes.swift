import BeemedDomain
import RelayHTTP

enum EventRoutes {
    /// `GET /events/{id}`: one event, by the device's own id or by its request id.
    static func show(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let view = try event(of: call, in: relay)
        return .json { view.write(to: &$0, at: call.moment) }
    }

    /// `DELETE /events/{id}`: undoes a press, also at Beeminder. Replies once synced.
    static func undo(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let key = try ownEvent(of: call, in: relay).event.key
        relay.engine.submit(.undo(key), at: call.moment, for: .request(call))
        return nil
    }

    private struct Retry: Decodable {
        var goal: String?
    }

    /// `POST /events/{id}/retry`: resends a press, to another goal if the request names one.
    static func retry(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let device = call.bearer
        var name = call.request.query["goal"]
        if !call.request.body.isEmpty {
            let body = try call.request.content(
                Retry.self, orSay: "send nothing, or {\"goal\": \"water\"} for another goal")
            if let asked = name, let given = body.goal, asked != given {
                throw .malformed("the query and the body name different goals; send one of them")
            }
            name = body.goal ?? name
        }
        let goal = name.flatMap(GoalSlug.init)
        guard name == nil || goal != nil else {
            throw .unknownGoal("use the name from the goal's Beeminder URL")
        }
        if let goal, !device.mayLog(to: goal, relay.engine.core.view.goals.names) {
            throw .forbidden("'\(device.name)' may not log to '\(goal)'")
        }
        let key = try ownEvent(of: call, in: relay).event.key
        relay.engine.submit(.retry(key, goal: goal), at: call.moment, for: .request(call))
        return nil
    }

    static func flush(_ relay: isolated Relay, _ call: Call) -> Response? {
        let engine = relay.engine
        engine.handle(.flushRequested)
        return .ok { json in
            json.add("queued", Int64(engine.core.view.pendingEvents))
            json.add("sync", engine.core.view.sync.rawValue)
        }
    }

    // MARK: Lists

    /// `GET /events`: newest first, in pages. A device sees its own events, an owner all.
    static func list(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let device = call.bearer
        var question = try EventQuestion(call.request.query)
        let isOwner = device.may(.manage)
        if !isOwner { question.filter.identity = device.identity }
        let page = relay.engine.core.view.events(
            question.filter, before: question.before, limit: question.limit)
        var next = page.next
        return .json { json in
            json.addArray("events") { list in
                for view in page.events {
                    list.object { view.write(to: &$0, at: call.moment) }
                    guard isOwner || list.count < pageBytes else {
                        if view.number != page.events.last?.number { next = view.number }
                        break
                    }
                }
            }
            if let next { json.add("next", Int64(next.value)) }
        }
    }

    /// The length in bytes from which a device's page of events ends early: many clients may ask
    /// for one at once, and read it slowly.
    private static let pageBytes = 256 << 10

    // MARK: Which event

    /// A press that the device may amend. A device limited to goals may not reach presses of other
    /// goals by id: the buttons of all reminders are one device, and each is for one goal.
    private static func ownEvent(
        of call: Call, in relay: isolated Relay
    ) throws(Problem) -> EventView {
        let (view, device) = (try event(of: call, in: relay), call.bearer)
        let core = relay.engine.core
        // A request id names one press; the device's own id, used for several goals, may not mean
        // this one.
        let isOwnID = call.name == view.event.key.id.description
        let others = isOwnID ? core.view.namesakes(of: view) : []
        guard others.isEmpty else {
            let all = ([view] + others).map { "'\($0.event.requestID)'" }.joined(separator: ", ")
            throw Problem(.notPossible, "several presses have this id; name one of \(all)")
        }
        let names = core.view.goals.names
        // A device may be limited to a preset, whose presses are its own wherever they go.
        let preset = view.event.preset.flatMap { GoalSlug($0.description) }
        guard
            device.mayLog(to: view.goal, names)
                || preset.map({ device.mayLog(to: $0, names) }) ?? false
        else {
            throw .forbidden(
                "'\(device.name)' may not log to '\(view.goal)', whose press this is")
        }
        return view
    }

    private static func event(
        of call: Call, in relay: isolated Relay
    ) throws(Problem) -> EventView {
        let id = call.name
        if let own = EventID(recorded: id),
            let view = relay.engine.core.view.event(EventKey(call.bearer.identity, own))
        {
            return view
        }
        if let dot = id.firstIndex(of: "."),
            let rest = EventID(recorded: String(id[id.index(after: dot)...])),
            let view = event(rest, of: id[..<dot], for: call.bearer, in: relay)
        {
            return view
        }
        throw .notFound(
            "no event '\(id.prefix(100))' is known; ask with the id that its device sent, or "
                + "with DEVICE.ID")
    }

    /// The event of the device before the dot, a device name or as in request ids. A device finds
    /// only its own events, and none of an earlier device of its name.
    private static func event(
        _ id: EventID, of text: Substring, for device: Device, in relay: isolated Relay
    ) -> EventView? {
        let core = relay.engine.core.view
        let exact = DeviceIdentity(withGeneration: text)
        guard device.may(.manage) else {
            guard exact == device.identity || device.name.description == text else { return nil }
            return core.event(EventKey(device.identity, id))
        }
        return exact.flatMap { core.event(EventKey($0, id)) }
            ?? DeviceName(String(text)).flatMap { core.newestEvent(of: $0, id) }
    }
}

struct EventQuestion {
    var filter = EventFilter()
    let before: SequenceNumber?
    let limit: Int

    static let names = ["state", "goal", "device", "since", "until", "q", "limit", "before"]

    init(_ query: Query) throws(Problem) {
        if let states = query["state"] { filter.states = try EventQuestion.states(states) }
        filter.goal = try query.value("goal", mustBe: "a goal") { GoalSlug($0) }
        filter.device = try query.value(
            "device", mustBe: "a device's name; GET /devices lists them"
        ) { DeviceName($0) }
        filter.since = try EventQuestion.time("since", query)
        filter.until = try EventQuestion.time("until", query)
        filter.text = try query.value(
            "q",
            mustBe: "a text of 1 to \(SoughtText.maxCharacters) characters, of a "
                + "comment, a goal or an id"
        ) { SoughtText($0) }
        limit = try query.number("limit", from: 1...500) ?? 50
        before = try query.value("before", mustBe: "the 'next' of the page before") { text in
            UInt64(text).flatMap { $0 > 0 ? SequenceNumber($0) : nil }
        }
    }

    private static func states(_ value: String) throws(Problem) -> Set<EventState> {
        var states: Set<EventState> = []
        for word in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let state = EventState(rawValue: String(word)) else {
                let all = EventState.allCases.map(\.rawValue).joined(separator: ", ")
                throw .malformed("unknown state '\(word.prefix(40))'; use \(all)")
            }
            states.insert(state)
        }
        return states
    }

    private static func time(_ name: String, _ query: Query) throws(Problem) -> UnixTime? {
        try query.value(name, mustBe: "Unix seconds, as in 1760000000") { text in
            Int64(text).flatMap { (0..<1 << 50).contains($0) ? UnixTime($0) : nil }
        }
    }
}
