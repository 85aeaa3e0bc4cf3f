import BeemedDomain
import RelayHTTP

extension Relay {
    /// `POST /log` and `POST /log/{goal}`: one press. The answer follows once it is on the disk.
    func log(
        _ exchange: Exchange, goal: String?, _ context: RequestContext
    ) throws(Problem) -> Response? {
        let request = exchange.request
        current.isPress = true
        let fields: PressFields
        do throws(Problem) {
            fields = try Relay.fields(of: request)
        } catch {
            // An invalid token is reported before an unreadable press.
            _ = try access.vouch(for: request, devices, context)
            throw error
        }
        let device = try access.authenticate(
            request, bodyToken: fields.token, devices, .log, context)
        let press = try Press(fields, path: goal, from: device, presetBook)
        let reading = PressReading(fields, press)
        guard !fields.isDryRun else { return try dryRun(press, reading, context.moment) }
        take(press, for: .request(exchange.id, reading, current), context.moment)
        return nil
    }

    /// `GET /log/{goal}/trigger`: the same for devices that can only fetch a URL. Prefetches and
    /// link previews, as by browsers and chats, log nothing.
    func trigger(
        _ exchange: Exchange, goal: String, _ context: RequestContext
    ) throws(Problem) -> Response? {
        let request = exchange.request
        guard request.method == .get, !request.isPrefetch else {
            return .text(200, "Nothing is logged by looking; fetch this with GET.")
        }
        return try log(exchange, goal: goal, context)
    }

    /// The press fields of body, query and head. They must agree.
    static func fields(of request: Request) throws(Problem) -> PressFields {
        var fields = try contents(of: request)
        if let key = request[.idempotencyKey] { fields.set(.id, key.filter { $0 != "\"" }) }
        return fields
    }

    /// The press fields of body and query.
    static func contents(of request: Request) throws(Problem) -> PressFields {
        if let coding = request[.contentEncoding], coding.lowercased() != "identity" {
            throw Problem(.contentEncoding, "send the body as it is, without '\(coding)'")
        }
        var fields: PressFields
        do throws(BodyReader.Fault) {
            fields = try BodyReader.fields(request.body)
        } catch {
            throw .malformed(error.advice)
        }
        if let query = request.target.query {
            var asked = BodyReader.query(query)
            // A Shelly appends its own name as 'id' to every URL; it is not an event id.
            if let id = asked.id, request[.userAgent]?.hasPrefix("Shelly/") == true {
                asked.id = nil
                asked.metadata["id"] = id
            }
            fields = fields.filled(from: asked)
        }
        return fields
    }

    /// `GET /context`: the latest snapshot. With `wait` and the client's ETag, the answer is held
    /// until the context changes.
    func context(_ exchange: Exchange, _ context: RequestContext) throws(Problem) -> Response? {
        let request = exchange.request
        let device = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        current.isReadOnly = true
        let view = try ContextView(query: request.target.query)
        let condition = request.fields.joined(.ifNoneMatch)
        let response = currentContext(view.form, ifNoneMatch: condition, at: context.moment)
        guard response.status == 304, view.waitSeconds > 0 else { return response }
        let bearer = Bearer(device)
        makeRoomToWait(for: bearer, context.moment)
        let now = context.moment.monotonic
        longPolls.append(
            LongPoll(
                exchange: exchange.id, bearer: bearer, view: view.form, condition: condition,
                since: now, until: now.adding(seconds: view.waitSeconds)))
        answers.append(Answer(waiting: exchange.id))
        return nil
    }

    /// The current context, rebuilt if it has changed.
    func currentContext(
        _ view: ContextView, ifNoneMatch condition: String?, at now: Moment
    ) -> Response {
        if contextCache.isStale(version: core.version, at: now.wall) {
            contextCache.fill(core.snapshot(at: now, limit: 100), at: now.wall)
        }
        return contextCache.response(view, ifNoneMatch: condition)
    }

    /// `POST /flush`: starts the next delivery attempts now.
    func flush(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .log, context)
        apply(.flushRequested)
        return .json(
            JSONWriter.object { json in
                json.add("ok", true)
                json.add("queued", Int64(core.pendingEvents))
                json.add("sync", core.sync.rawValue)
            })
    }

    /// `GET /healthz`: whether the relay can accept and deliver; 503 when the user must act. Goals
    /// and the user are named only to a token with the right to read.
    func health(_ request: Request, _ context: RequestContext) -> Response {
        current.isReadOnly = true
        let reader = try? access.vouch(for: request, devices, context)
        let mayRead = reader?.rights.contains(.read) ?? false
        let names =
            mayRead ? Health.Names(user: core.user, refusedGoals: core.refusedGoals(limit: 5)) : nil
        return Health(
            sync: core.sync, isVerified: core.isVerified, isVerifying: core.isVerifying,
            obstacle: core.isDiskFull ? obstacle : nil,
            queued: core.pendingEvents, refused: core.refusedEvents,
            oldestPendingSeconds: core.oldestPendingSeconds(at: context.moment),
            lastDeliveryFailed: core.lastDeliveryFailed, lastSync: lastSync,
            missingGoals: core.missingGoals, barredGoals: core.barredGoals,
            overwritten: core.overwrittenEvents(at: context.moment),
            isStalled: core.isStalled(at: context.moment),
            goalsAtRisk: core.goalsAtRisk(at: context.moment),
            crowdingDevices: core.crowdingDevices.count, crowdingGoals: core.crowdingGoals.count,
            parked: core.parkedEvents, clock: core.clockState(at: context.moment),
            isClockDisciplined: ClockDiscipline.isSynchronized, recoveryReport: recoveryReport,
            isFolderOpen: DataFolder.isOpenToOthers(settings.data), names: names
        ).response
    }
}

extension BodyReader.Fault {
    /// The advice in the error text: which form to send instead.
    var advice: String {
        switch self {
        case .malformedJSON(let place):
            "the body begins like JSON and is none from \(place) on; send an object such as "
                + "{\"value\": 1}"
        case .several: "this takes one event; send an array to POST /events"
        case .ambiguousText:
            "is this a day and a value, or a value and a comment? put the comment in quotes: "
                + "3 \"sets\" is today's, 18 3 \"sets\" is the 18th's"
        case .notText: "the body is not UTF-8 text; send it as UTF-8"
        }
    }
}
