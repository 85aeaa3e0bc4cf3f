import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Reminders: where they are sent, when, and what was sent.
extension Relay {
    /// `GET /reminders`.
    func reminders(_ call: Call, _ device: Device) -> Response {
        let names = ShownServices(notifyServices, for: device)
        return .json(
            JSONWriter.object { json in
                writeRules(to: &json, at: engine.core.corrected(call.moment).wall)
                writeServices(to: &json, names)
                writeHistory(to: &json, names)
            })
    }

    /// `PUT /reminders`: the quiet hours.
    func setReminders(_ call: Call) throws(Problem) -> Response? {
        struct Body: Decodable {
            var quietHours: String
        }
        guard let body = Body(json: call.request.body) else {
            throw .malformed("send {\"quietHours\": \"22:00-07:00\"}, or \"off\"")
        }
        let hours = QuietHours(rawValue: body.quietHours)
        guard hours != nil || body.quietHours == "off" else {
            throw Problem(
                .unusableReminder,
                "'\(body.quietHours.prefix(32))' are no hours; write 22:00-07:00, or off")
        }
        changeReminders(call) { (book) throws(Problem) in
            book.rules.quietHours = hours
            return JSONWriter.object { $0.add("quietHours", hours?.rawValue ?? "off") }
        }
        return nil
    }

    /// `POST /reminders/services`: adds a service.
    func addService(_ call: Call) throws(Problem) -> Response? {
        struct Body: Decodable {
            var url: String
        }
        guard let body = Body(json: call.request.body) else {
            throw .malformed("send {\"url\": \"ntfy://TOPIC\"}")
        }
        guard let url = NotifyURL(body.url) else {
            // Without the address, which may be a secret: refusals are kept and shown.
            throw Problem(.unusableReminder, "this address \(NotifyURL.advice)")
        }
        changeReminders(call) { (book) throws(Problem) in
            // The same address with other options replaces what was set by this request.
            let isReplaced = book.remove(url.name, unless: body.url)
            guard isReplaced || !self.notifyServices.contains(where: { $0.name == url.name })
            else {
                throw Problem(.nameTaken, "reminders are sent there already, as \(url.name)")
            }
            guard isReplaced || self.notifyServices.count < ReminderBook.maxServices else {
                throw Problem(
                    .unusableReminder,
                    "there are \(ReminderBook.maxServices) services already; remove one first")
            }
            book.add(body.url)
            return JSONWriter.object { json in
                json.add("service", url.name)
                json.add("shown", url.shown)
            }
        }
        return nil
    }

    /// `DELETE /reminders/services/{name}`.
    func removeService(_ call: Call) -> Response? {
        let name = call.name
        changeReminders(call) { (book) throws(Problem) in
            guard book.remove(name) else {
                let isSet = self.settings.notify.contains { $0.name == name }
                throw isSet
                    ? Problem(
                        .notPossible,
                        "this service is in the relay's settings; take it out of --notify")
                    : .notFound("there is no service of this name; see GET /reminders")
            }
            return JSONWriter.object { $0.add("ok", true) }
        }
        return nil
    }

    /// `POST /reminders/test`: sends a test to every service.
    func testReminders(_ call: Call) throws(Problem) -> Response? {
        let services = notifyServices
        guard !services.isEmpty else {
            throw Problem(
                .notPossible,
                "reminders are sent nowhere yet; add a service: "
                    + "'beemed-relay reminder add ntfy://TOPIC'")
        }
        guard !isStopping else { throw .stopping }
        guard test(services, for: call) else { throw .tooManyTests }
        return nil
    }

    // MARK: Snooze

    /// `POST` and `DELETE /reminders/snooze`: puts off the reminders of a goal or all, and ends it.
    func snooze(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        let body = try SnoozeRequest(call.request)
        let goal = try body.goal.map { (name) throws(Problem) in try permittedGoal(name, device) }
        if goal == nil, !device.rights.contains(.manage) {
            throw .forbidden("'\(device.name)' may put off the reminders of a goal only; name one")
        }
        let now = engine.core.corrected(call.moment).wall
        let isEnd = call.request.method == .delete
        let end = isEnd ? now : try self.end(body, now)
        let names = goal.map(engine.core.goals.names) ?? []
        let note = isEnd ? nil : snoozeNote(goal, from: now, to: end, at: call.moment)
        changeReminders(call) { (book) throws(Problem) in
            book.rules.forgetOld(at: now)
            if let goal {
                let before = names.compactMap {
                    book.rules.snoozes.used.removeValue(forKey: $0)?.until
                }
                let until = isEnd ? before.max().map { min($0, end.seconds) } : end.seconds
                book.rules.snoozes.used[goal.description] = until.map(ReminderRules.Snooze.init)
            } else {
                book.rules.offUntil =
                    isEnd ? book.rules.offUntil.map { min($0, end.seconds) } : end.seconds
            }
            return JSONWriter.object { json in
                json.add("ok", true)
                if let goal { json.add("goal", goal.description) }
                if !isEnd { json.add("until", end.seconds) }
                if let note { json.add("note", note) }
            }
        }
        return nil
    }

    /// Which goals derail before the end of a snooze; nil when none does.
    ///
    /// - Parameter goal: the only goal that is put off; nil for all.
    private func snoozeNote(
        _ goal: GoalSlug?, from now: UnixTime, to end: UnixTime, at moment: Moment
    ) -> String? {
        let wanted = goal.map { "\(engine.core.goals.current($0))" }
        let goals = engine.core.overview(at: moment).goals.map(\.goal).filter { goal in
            guard let slug = GoalSlug(goal.slug), let losedate = goal.losedate,
                lead(of: slug) != .off
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
    private func permittedGoal(_ name: String, _ device: Device) throws(Problem) -> GoalSlug {
        guard let goal = GoalSlug(name) else {
            throw .unknownGoal(
                "goal '\(name.prefix(64))' is not yours; GET /goals names them")
        }
        try checkGoal(goal)
        guard device.mayLog(to: goal, engine.core.goals.names) else {
            throw .forbidden("the reminders of '\(goal)' are not for '\(device.name)'")
        }
        return goal
    }

    private func end(_ snooze: SnoozeRequest, _ now: UnixTime) throws(Problem) -> UnixTime {
        if let hours = snooze.hours { return now.adding(Int64(hours * 3_600)) }
        guard snooze.until != nil else {
            throw Problem(
                .unusableReminder,
                "say until when: {\"goal\": \"walk\", \"hours\": 3} or \"until\": \"tomorrow\"")
        }
        let calendar = engine.core.calendar
        return calendar.moment(on: calendar.day(at: now).adding(days: 1), second: 0)
    }

    // MARK: Goals

    /// `GET /goals/{goal}/reminder`: how long before it derails.
    func goalReminder(_ call: Call, _ device: Device) throws(Problem) -> Response {
        let goal = try permittedGoal(call.name, device)
        return .json(JSONWriter.object { lead(of: goal).write(goal.description, to: &$0) })
    }

    /// The lead that the user has set for a goal, under any of its names; nil for none.
    private func lead(of goal: GoalSlug) -> ReminderRules.Lead? {
        let leads = reminderState.book.rules.goals.used
        return engine.core.goals.names(of: goal).lazy.compactMap { leads[$0] }.first
    }

    /// `PUT` and `DELETE /goals/{goal}/reminder`.
    func setGoalReminder(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        let goal = try permittedGoal(call.name, device)
        let lead = call.request.method == .delete ? nil : try lead(call.request)
        let names = engine.core.goals.names(of: goal)
        changeReminders(call) { (book) throws(Problem) in
            for name in names { book.rules.goals.used[name] = nil }
            book.rules.goals.used[goal.description] = lead
            return JSONWriter.object { lead.write(goal.description, to: &$0) }
        }
        return nil
    }

    private func lead(_ request: Request) throws(Problem) -> ReminderRules.Lead {
        struct Body: Decodable {
            var hours: Int64?
            var off: Bool?
        }
        let body = Body(json: request.body)
        if body?.off == true, body?.hours == nil { return .off }
        guard let hours = body?.hours, body?.off != true,
            ReminderRules.Lead.range.contains(hours)
        else {
            throw .malformed("send {\"hours\": 6}, from 1 to 168, or {\"off\": true}")
        }
        return .hours(hours)
    }

    // MARK: Saving

    /// Changes the settings of reminders.
    ///
    /// - Parameter change: changes a copy, and makes the answer for the durable change.
    private func changeReminders(
        _ call: Call, _ change: @escaping (inout ReminderBook) throws(Problem) -> [UInt8]
    ) {
        self.change(call) { () throws(Problem) in
            var book = self.reminderState.book
            let answer = try change(&book)
            let changed = book
            return SettingsChange(
                save: { $0.save(changed, as: .reminders, $1) },
                subject: "the settings of reminders",
                apply: {
                    self.reminderState.book = changed
                    self.useReminders()
                    return .json(answer)
                })
        }
    }
}

/// A request for a snooze, in the query or as JSON.
private struct SnoozeRequest: Decodable {
    var goal: String?
    var hours: Double?
    /// `tomorrow`.
    var until: String?
}

extension SnoozeRequest {
    fileprivate init(_ request: Request) throws(Problem) {
        for (name, value) in FormDecoder.pairs(request.target.query ?? "") {
            switch name {
            case "goal": goal = value
            case "hours": hours = Double(value) ?? .nan
            case "until": until = value
            default: break
            }
        }
        if request.body.contains(where: { !$0.isBlank }) {
            guard let body = SnoozeRequest(json: request.body) else {
                throw .malformed("send {\"goal\": \"walk\", \"hours\": 3}")
            }
            goal = try Self.either(goal, body.goal)
            hours = try Self.either(hours, body.hours)
            until = try Self.either(until, body.until)
        }
        try check()
    }

    private static func either<Value: Equatable>(
        _ query: Value?, _ body: Value?
    ) throws(Problem) -> Value? {
        guard let query, let body, query != body else { return body ?? query }
        throw Problem(
            .unusableReminder, "the query and the body say different things; say it once")
    }

    private func check() throws(Problem) {
        if let until, until != "tomorrow" { throw .malformed("'until' must be \"tomorrow\"") }
        guard let hours else { return }
        guard hours > 0, hours <= 168 else {
            throw .malformed("'hours' must be a number up to 168")
        }
        guard until == nil else {
            throw Problem(.unusableReminder, "say 'hours' or 'until', not both")
        }
    }
}
