import BeemedDomain
import RelayHTTP
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(call.request.body)) else {
            throw .malformed("send {\"quietHours\": \"22:00-07:00\"}, or \"off\"")
        }
        let hours = QuietHours(body.quietHours)
        guard hours != nil || body.quietHours == "off" else {
            throw Problem(
                .unusableReminder,
                "'\(body.quietHours.prefix(32))' are no hours; write 22:00-07:00, or off")
        }
        changeReminders(call) { (book) throws(Problem) in
            book.rules.quietHours = hours
            return JSONWriter.object { $0.add("quietHours", hours?.description ?? "off") }
        }
        return nil
    }

    /// `POST /reminders/services`: adds a service.
    func addService(_ call: Call) throws(Problem) -> Response? {
        struct Body: Decodable {
            var url: String
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(call.request.body)) else {
            throw .malformed("send {\"url\": \"ntfy://TOPIC\"}")
        }
        guard let url = NotifyURL(body.url) else {
            // Without the address, which may be a secret: refusals are kept and shown.
            throw Problem(.unusableReminder, "this address \(NotifyURL.advice)")
        }
        changeReminders(call) { (book) throws(Problem) in
            // The same address with other options replaces what was set by this request.
            let before = book.services.count
            book.services.removeAll { $0 != body.url && NotifyURL($0)?.name == url.name }
            let isReplaced = book.services.count < before
            guard isReplaced || !self.notifyServices.contains(where: { $0.name == url.name })
            else {
                throw Problem(.nameTaken, "reminders are sent there already, as \(url.name)")
            }
            guard isReplaced || self.notifyServices.count < ReminderBook.maxServices else {
                throw Problem(
                    .unusableReminder,
                    "there are \(ReminderBook.maxServices) services already; remove one first")
            }
            book.services.append(body.url)
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
            let before = book.services.count
            book.services.removeAll { NotifyURL($0)?.name == name }
            guard book.services.count < before else {
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
        let end = isEnd ? now : try snoozeEnd(body, now)
        let names = goal.map(engine.core.goals.names) ?? []
        let note = isEnd ? nil : snoozeNote(goal, from: now, to: end, at: call.moment)
        changeReminders(call) { (book) throws(Problem) in
            book.rules.forgetOld(at: now)
            if let goal {
                let before = names.compactMap { book.rules.snoozes.removeValue(forKey: $0)?.until }
                let until = isEnd ? before.max().map { min($0, end.seconds) } : end.seconds
                book.rules.snoozes[goal.description] = until.map(ReminderRules.Snooze.init)
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

    private func snoozeEnd(_ body: SnoozeRequest, _ now: UnixTime) throws(Problem) -> UnixTime {
        switch body.end {
        case .hours(let hours): return now.adding(Int64(hours * 3_600))
        case .tomorrow:
            let calendar = engine.core.calendar
            return calendar.moment(on: calendar.day(at: now).adding(days: 1), second: 0)
        case nil:
            throw Problem(
                .unusableReminder,
                "say until when: {\"goal\": \"walk\", \"hours\": 3} or \"until\": \"tomorrow\"")
        }
    }

    // MARK: Goals

    /// `GET /goals/{goal}/reminder`: how long before it derails.
    func goalReminder(_ call: Call, _ device: Device) throws(Problem) -> Response {
        let goal = try permittedGoal(call.name, device)
        return .json(JSONWriter.object { lead(of: goal).write(goal, to: &$0) })
    }

    /// The lead that the user has set for a goal, under any of its names; nil for none.
    private func lead(of goal: GoalSlug) -> ReminderRules.Lead? {
        let leads = reminderState.book.rules.goals
        return engine.core.goals.names(of: goal).lazy.compactMap { leads[$0] }.first
    }

    /// `PUT` and `DELETE /goals/{goal}/reminder`.
    func setGoalReminder(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        let goal = try permittedGoal(call.name, device)
        let lead = call.request.method == .delete ? nil : try lead(call.request)
        let names = engine.core.goals.names(of: goal)
        changeReminders(call) { (book) throws(Problem) in
            for name in names { book.rules.goals[name] = nil }
            book.rules.goals[goal.description] = lead
            return JSONWriter.object { lead.write(goal, to: &$0) }
        }
        return nil
    }

    private func lead(_ request: Request) throws(Problem) -> ReminderRules.Lead {
        struct Body: Decodable {
            var hours: Int?
            var off: Bool?
        }
        let body = try? JSONDecoder().decode(Body.self, from: Data(request.body))
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
private struct SnoozeRequest {
    fileprivate enum End {
        case hours(Double)
        case tomorrow
    }

    fileprivate struct Body: Decodable {
        var goal: String?
        var hours: Double?
        var until: String?
    }

    var goal: String?
    var end: End?

    init(_ request: Request) throws(Problem) {
        var body = Body()
        for (name, value) in FormDecoder.pairs(request.target.query ?? "") {
            switch name {
            case "goal": body.goal = value
            case "hours": body.hours = Double(value) ?? .nan
            case "until": body.until = value
            default: break
            }
        }
        if request.body.contains(where: { !$0.isBlank }) {
            guard let read = try? JSONDecoder().decode(Body.self, from: Data(request.body)) else {
                throw .malformed("send {\"goal\": \"walk\", \"hours\": 3}")
            }
            guard body.agrees(with: read) else {
                throw Problem(
                    .unusableReminder,
                    "the query and the body say different things; say it once")
            }
            body = Body(
                goal: read.goal ?? body.goal, hours: read.hours ?? body.hours,
                until: read.until ?? body.until)
        }
        goal = body.goal
        end = try body.end
    }
}

extension SnoozeRequest.Body {
    fileprivate func agrees(with other: Self) -> Bool {
        (goal == nil || other.goal == nil || goal == other.goal)
            && (hours == nil || other.hours == nil || hours == other.hours)
            && (until == nil || other.until == nil || until == other.until)
    }

    fileprivate var end: SnoozeRequest.End? {
        get throws(Problem) {
            if let until, until != "tomorrow" {
                throw .malformed("'until' must be \"tomorrow\"")
            }
            guard let hours else { return until == nil ? nil : .tomorrow }
            guard hours > 0, hours <= 168 else {
                throw .malformed("'hours' must be a number up to 168")
            }
            guard until == nil else {
                throw Problem(.unusableReminder, "say 'hours' or 'until', not both")
            }
            return .hours(hours)
        }
    }
}
