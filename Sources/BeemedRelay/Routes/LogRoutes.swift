import BeemedDomain
import RelayHTTP

extension Relay {
    /// `POST` and `PUT` to `/log` and `/log/{goal}`: one press. The answer follows once it is on
    /// the disk.
    func log(
        _ call: Call, goal: String?
    ) throws(Problem) -> Response? {
        call.isPress = true
        let (fields, device) = try readPress(call, Relay.fields)
        let press = try Press(fields, path: goal, from: device, books.presets) {
            engine.core.goals.names(of: $0)
        }
        let reading = PressReading(fields, time: press.time, id: press.id)
        guard !fields.isDryRun else { return try dryRun(press, reading, call.moment) }
        // What a device of some goals may log to depends on their names, too.
        if device.goals == nil, call.known.sender?.device(in: access.devices) != nil {
            call.known.press.remember(
                call.request.body, isAll: call.request.hasFieldsInBodyOnly, on: readingBasis
            ) { ReadPress(press, reading, from: device) }
        }
        call.reading = reading
        engine.submit(press, reply: .request(call), at: call.moment)
        return nil
    }

    /// Reads a request of one press, and identifies its sender.
    ///
    /// A sender with a token in the head is identified first, and so is one whose content and query
    /// can bear none: to read them costs more than to refuse them.
    func readPress(
        _ call: Call, _ read: (Request) throws(Problem) -> PressFields
    ) throws(Problem) -> (PressFields, Device) {
        guard Credentials.mayBeField(of: call.request) else {
            let device = try authenticate(call, .log)
            return (try read(call.request), device)
        }
        let fields: PressFields
        do throws(Problem) {
            fields = try read(call.request)
        } catch {
            throw try refusal(ofUnreadable: call, error)
        }
        return (fields, try authenticate(call, .log, bodyToken: fields.token))
    }

    /// The refusal of a request whose content cannot be read: an invalid token is reported first.
    func refusal(ofUnreadable call: Call, _ error: Problem) throws(Problem) -> Problem {
        guard try vouch(for: call) == nil else { return error }
        return access.tooManyFailures(call.context) ?? error
    }

    /// Takes a press whose request is like one that came before it on its connection: it need not
    /// be read again.
    ///
    /// - Returns: false for any other request, which is to be routed.
    func acceptKnown(_ call: Call) throws(Problem) -> Bool {
        guard let route = call.known.pressRoute,
            let known = call.known.press.press(of: call.request.body, on: readingBasis)
        else { return false }
        call.route = route
        call.isPress = true
        call.device = known.device.name
        access.recordSeen(known.device, call.context)
        try access.permit(known.device, .log, call.context)
        call.reading = known.reading
        engine.submit(known.press, reply: .request(call), at: call.moment)
        return true
    }

    /// What a press depends on besides its request.
    private var readingBasis: KnownPress.Basis {
        KnownPress.Basis(devices: access.devices.revision, presets: books.presetRevision)
    }

    /// `GET /log/{goal}/trigger`: the same for devices that can only fetch a URL. Prefetches and
    /// link previews, as by browsers and chats, log nothing.
    func trigger(
        _ call: Call, goal: String
    ) throws(Problem) -> Response? {
        call.forbidsStorage = true
        guard call.request.method == .get, !call.request.isPrefetch else {
            return .text(200, "Nothing is logged by looking; fetch this with GET.")
        }
        return try log(call, goal: goal)
    }

    /// The press fields of body, query and head. They must agree.
    static func fields(of request: Request) throws(Problem) -> PressFields {
        let fields = try contents(of: request)
        for key in request.fields.all(.idempotencyKey) {
            fields.set(.id, key.filter { $0 != "\"" })
        }
        return fields
    }

    /// The fields of a query alone.
    static func fields(ofQuery query: String?) throws(Problem) -> PressFields {
        do throws(BodyReader.Fault) {
            return try BodyReader.query(query)
        } catch {
            throw .malformed(error.advice)
        }
    }

    /// The press fields of body and query.
    private static func contents(of request: Request) throws(Problem) -> PressFields {
        do throws(BodyReader.Fault) {
            let fields = try BodyReader.fields(request.body)
            guard let query = request.target.query else { return fields }
            let asked = try BodyReader.query(query)
            // A Shelly appends its own name as 'id' to every URL; it is not an event id.
            if let id = asked.id, request[.userAgent]?.hasPrefix("Shelly/") == true {
                asked.id = nil
                asked.metadata["id"] = id
            }
            fields.fill(from: asked)
            return fields
        } catch {
            throw .malformed(error.advice)
        }
    }
}

extension Request {
    /// Whether no field of a press stands in its query or its head.
    fileprivate var hasFieldsInBodyOnly: Bool {
        target.query == nil && self[.idempotencyKey] == nil
    }
}

extension BodyReader.Fault {
    /// The advice in the error text: which form to send instead.
    var advice: String {
        switch self {
        case .malformedJSON(let place):
            "the body is not valid JSON at \(place); send an object such as "
                + "{\"value\": 1}"
        case .several: "this takes one event; send an array to POST /events"
        case .ambiguousText:
            "is this a day and a value, or a value and a comment? put the comment in quotes: "
                + "3 \"sets\" is today's, 18 3 \"sets\" is the 18th's"
        case .groupedDigits:
            "is this one number, or a day and a value? send the number without a blank, 10000, or "
                + "the whole day before the value, 2026-11-10 250"
        case .tooManyFields: "a press has at most \(PressFields.mostGiven) fields; send fewer"
        case .notText: "the body is not UTF-8 text; send it as UTF-8"
        }
    }
}
