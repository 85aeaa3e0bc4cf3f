import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The routes of reminders: where they are sent, when, and what was sent.
enum ReminderRoutes {
    /// `GET /reminders`. The names of services have a digest of what must stay secret in them, so
    /// who may only read gets the kind and a number instead; a service that was removed has no
    /// number.
    static func list(_ relay: isolated Relay, _ call: Call) -> Response? {
        let isWhole = call.bearer.may(.manage)
        let (state, settings) = (relay.reminderState, relay.settings)
        let names = state.book.all(settings.notify).map(\.name)
        func shown(_ service: String) -> String {
            if isWhole { return service }
            let number = names.firstIndex(of: service).map { "-\($0 + 1)" } ?? ""
            return service.prefix { $0 != "-" } + number
        }
        return .json { json in
            state.writeRules(to: &json, at: relay.engine.core.view.corrected(call.moment).wall)
            state.writeServices(settings, to: &json, isWhole: isWhole, shown)
            state.writeHistory(to: &json, shown)
        }
    }

    /// `PUT /reminders`: the quiet hours.
    static func set(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        struct Body: Decodable {
            var quietHours: String
        }
        let text = try call.request.content(
            Body.self, orSay: "send {\"quietHours\": \"22:00-07:00\"}, or \"off\""
        ).quietHours
        let hours = QuietHours(rawValue: text)
        guard hours != nil || text == "off" else {
            throw Problem(
                .unusableReminder,
                "'\(text.prefix(32))' are not valid hours; write 22:00-07:00, or off")
        }
        return try change(relay, call) { (book) throws(Problem) in
            book.quietHours = hours
            return .json { $0.add("quietHours", hours?.rawValue ?? "off") }
        }
    }

    /// `POST /reminders/services`: adds a service.
    static func addService(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        struct Body: Decodable {
            var url: String
        }
        let address = try call.request.content(
            Body.self, orSay: "send {\"url\": \"ntfy://TOPIC\"}"
        ).url
        guard let url = NotifyURL(address) else {
            // Without the address, which may be a secret: refusals are kept and shown.
            throw Problem(.unusableReminder, "this address \(NotifyURL.advice)")
        }
        let services = relay.reminderState.book.all(relay.settings.notify)
        return try change(relay, call) { (book) throws(Problem) in
            // The same address with other options replaces what was set by this request.
            let isReplaced = book.remove(url.name, unless: address)
            guard isReplaced || !services.contains(where: { $0.name == url.name }) else {
                throw Problem(.nameTaken, "reminders are sent there already, as \(url.name)")
            }
            guard isReplaced || services.count < ReminderBook.maxServices else {
                throw Problem(
                    .unusableReminder,
                    "there are \(ReminderBook.maxServices) services already; remove one first")
            }
            book.add(address)
            return .json { json in
                json.add("service", url.name)
                json.add("shown", url.shown)
            }
        }
    }

    /// `DELETE /reminders/services/{name}`.
    static func removeService(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let name = call.name
        return try change(relay, call) { (book) throws(Problem) in
            guard book.remove(name) else {
                let isSet = relay.settings.notify.contains { $0.name == name }
                throw isSet
                    ? Problem(
                        .notPossible,
                        "this service is in the relay's settings; take it out of --notify")
                    : .notFound("there is no service of this name; see GET /reminders")
            }
            return .ok()
        }
    }

    /// `POST /reminders/test`: sends a test to every service.
    static func test(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let state = relay.reminderState
        let services = state.book.all(relay.settings.notify)
        guard !services.isEmpty else {
            throw Problem(
                .notPossible,
                "reminders are sent nowhere yet; add a service: "
                    + "'beemed-relay reminder add ntfy://TOPIC'")
        }
        guard !relay.isStopping, state.test == nil else {
            throw .retryLater(
                .crowded,
                "nothing was sent: the services are being tested already, or the relay stops; send "
                    + "the same again in a minute", after: 60)
        }
        state.test(services, for: call, in: relay)
        return nil
    }

    // MARK: Snooze

    /// `POST` and `DELETE /reminders/snooze`: puts off the reminders of a goal or all, and ends it.
    static func snooze(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let (device, core) = (call.bearer, relay.engine.core)
        let body = try SnoozeRequest(call.request)
        let goal = try body.goal.map { (name) throws(Problem) in
            try permittedGoal(name, device, core.view.goals)
        }
        if goal == nil, !device.may(.manage) {
            throw .forbidden("'\(device.name)' may put off the reminders of a goal only; name one")
        }
        let now = core.view.corrected(call.moment).wall
        let isEnd = call.request.method == .delete
        let end = isEnd ? now : try body.end(core.view.calendar, now)
        let names = goal.map(core.view.goals.names) ?? []
        let note = isEnd ? nil : note(relay, goal, from: now, to: end, at: call.moment)
        return try change(relay, call) { (book) throws(Problem) in
            func until(_ before: Int64?) -> Int64? {
                isEnd ? before.map { min($0, end.seconds) } : end.seconds
            }
            if let goal {
                let before = names.compactMap { book.snoozes.removeValue(forKey: $0) }
                book.snoozes[goal.description] = until(before.max())
            } else {
                book.offUntil = until(book.offUntil)
            }
            return .ok { json in
                if let goal { json.add("goal", goal.description) }
                if !isEnd { json.add("until", end.seconds) }
                if let note { json.add("note", note) }
            }
        }
    }

    /// The goals that derail before the end of a snooze, or that this one does; nil when none does.
    private static func note(
        _ relay: isolated Relay, _ goal: GoalSlug?, from now: UnixTime, to end: UnixTime,
        at moment: Moment
    ) -> String? {
        let (core, book) = (relay.engine.core, relay.reminderState.book)
        let wanted = goal.map { "\(core.view.goals.current($0))" }
        let goals = core.view.overview(at: moment).goals.map(\.goal).filter { goal in
            guard let slug = GoalSlug(goal.slug), let losedate = goal.losedate,
                book.lead(of: core.view.goals.names(of: slug)) != 0
            else { return false }
            return losedate > now.seconds && losedate <= end.seconds
                && (wanted == nil || wanted == goal.slug)
        }
        guard !goals.isEmpty else { return nil }
        let named = goals.prefix(5).map { "'\($0.slug)'" }.joined(separator: ", ")
        let more = goals.count > 5 ? " and \(goals.count - 5) more" : ""
        return goals.count == 1
            ? "\(named) derails before that; its last call comes all the same"
            : "\(named)\(more) derail before that; their last calls come all the same"
    }

    /// The goal of that name, if the device may log to it.
    private static func permittedGoal(
        _ name: String, _ device: Device, _ goals: GoalBook
    ) throws(Problem) -> GoalSlug {
        guard let goal = GoalSlug(name) else { throw .noGoalName(name) }
        try goals.check(goal)
        guard device.mayLog(to: goal, goals.names) else {
            throw .forbidden("the reminders of '\(goal)' are not for '\(device.name)'")
        }
        return goal
    }

    // MARK: Goals

    /// `GET`, `PUT` and `DELETE /goals/{goal}/reminder`: how long before it derails.
    static func lead(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let goals = relay.engine.core.view.goals
        let goal = try permittedGoal(call.name, call.bearer, goals)
        let names = goals.names(of: goal)
        var lead: Int64?
        switch call.request.method {
        case .delete: break
        case .put:
            struct Body: Decodable {
                var hours: Int64?
                var off: Bool?
            }
            let advice = "send {\"hours\": 6}, from 1 to 168, or {\"off\": true}"
            let body = try call.request.content(Body.self, orSay: advice)
            lead = body.hours ?? 0
            guard body.off == true ? body.hours == nil : ReminderBook.leadHours ~= lead ?? 0
            else { throw .malformed(advice) }
        default:
            lead = relay.reminderState.book.lead(of: names)
            return .json { write(lead, of: goal.description, to: &$0) }
        }
        return try change(relay, call) { (book) throws(Problem) in
            for name in names { book.goals[name] = nil }
            book.goals[goal.description] = lead
            return .json { write(lead, of: goal.description, to: &$0) }
        }
    }

    /// A goal's lead; without one Beeminder's counts.
    fileprivate static func write(_ hours: Int64?, of goal: String, to json: inout JSONWriter) {
        json.add("goal", goal)
        switch hours {
        case 0: json.add("off", true)
        case let hours?: json.add("hours", hours)
        case nil: json.add("lead", "beeminder")
        }
    }

    // MARK: Saving

    /// Changes the settings of reminders. The answer follows when that is durable.
    private static func change(
        _ relay: isolated Relay, _ call: Call,
        _ edit: (inout ReminderBook) throws(Problem) -> Response
    ) throws(Problem) -> Response? {
        let state = relay.reminderState
        return try relay.change(
            call, .reminders, "the settings of reminders", from: { state.book }, edit,
            apply: { state.use($0, in: relay) })
    }
}

extension ReminderState {
    /// Sent reminders in an answer, at most.
    private static let maxShown = 100

    fileprivate func writeRules(to json: inout JSONWriter, at now: UnixTime) {
        json.add("quietHours", book.quietHours?.rawValue ?? "off")
        if let end = book.offUntil, end > now.seconds { json.add("offUntil", end) }
        json.addArray("goals", of: book.goals.sorted { $0.key < $1.key }) { goal, json in
            ReminderRoutes.write(goal.value, of: goal.key, to: &json)
        }
        let snoozes = book.snoozes.filter { $0.value > now.seconds }
        json.addArray("snoozes", of: snoozes.sorted { $0.key < $1.key }) { snooze, json in
            json.add("goal", snooze.key)
            json.add("until", snooze.value)
        }
    }

    fileprivate func writeServices(
        _ settings: Settings, to json: inout JSONWriter, isWhole: Bool, _ shown: (String) -> String
    ) {
        let configured = Set(settings.notify.map(\.name))
        json.addArray("services", of: book.all(settings.notify)) { url, json in
            json.add("service", shown(url.name))
            json.add("shown", isWhole ? url.shown : url.kind)
            json.add("isSetting", configured.contains(url.name))
            json.add("failures", Int64(schedule.failures[url.name] ?? 0))
        }
    }

    fileprivate func writeHistory(to json: inout JSONWriter, _ shown: (String) -> String) {
        let last = schedule.sent.suffix(ReminderState.maxShown).reversed()
        json.addArray("sent", of: last) { sent, json in
            json.add("at", sent.at)
            sent.topic.write(to: &json)
            json.add("day", Daystamp(sent.day)?.dashed ?? sent.day)
            json.add("service", shown(sent.service))
            json.add("withdrawn", sent.withdrawn)
        }
        json.addArray("attempts", of: attempts) { attempt, json in
            json.add("at", attempt.at.seconds)
            let request = attempt.request
            json.add("action", request.action.rawValue)
            json.add("service", shown(request.service.name))
            request.reminder.topic.write(to: &json)
            json.add("title", request.reminder.words.title)
            json.add("ok", attempt.fault == nil)
            if let fault = attempt.fault { json.add("why", fault) }
        }
    }
}

/// A request for a snooze, in the query or as JSON.
private struct SnoozeRequest: Decodable {
    var goal: String?
    var hours: Double?
    /// `tomorrow`.
    var until: String?

    init(_ request: Request) throws(Problem) {
        (goal, until) = (request.query["goal"], request.query["until"])
        hours = request.query["hours"].map { Double($0) ?? .nan }
        if !request.body.allSatisfy(\.isBlank) {
            guard goal == nil, until == nil, hours == nil else {
                throw Problem(.unusableReminder, "say it in the query or in the body, not in both")
            }
            self = try request.content(orSay: "send {\"goal\": \"walk\", \"hours\": 3}")
        }
    }

    func end(_ calendar: GoalCalendar, _ now: UnixTime) throws(Problem) -> UnixTime {
        switch (hours, until) {
        case (let hours?, nil) where hours > 0 && hours <= 168:
            return now.adding(Int64(hours * 3_600))
        case (nil, "tomorrow"):
            return calendar.moment(on: calendar.day(at: now).adding(days: 1), second: 0)
        case (nil, nil):
            throw Problem(
                .unusableReminder,
                "say until when: {\"goal\": \"walk\", \"hours\": 3} or \"until\": \"tomorrow\"")
        default:
            throw .malformed(
                "say one of them: 'hours', a number up to 168, or 'until' \"tomorrow\"")
        }
    }
}
