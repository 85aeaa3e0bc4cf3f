import BeemedDomain
import RelayHTTP

/// A request with many events, as far as it is worked through. It is worked through in slices, and
/// other requests are answered in between: one long queue must not make a button wait.
struct EventIntake {
    let exchange: ExchangeID
    /// Where it is noted how it was answered.
    let entry: RequestLog.Entry
    let device: Device
    let options: EventOptions
    /// When the request came: the time of all its events that say none.
    let received: UnixTime
    /// Counts the events, and checks that the body can be read to its end, before any is taken;
    /// nil when that is done.
    fileprivate var counter: EventReader?
    fileprivate var reader: EventReader
    fileprivate var count = 0
    /// The next event.
    fileprivate var index = 0
    /// Its number among the batches, once the events are counted.
    fileprivate var batch: Int?
    /// Unknown goals for which a similar name is still looked for.
    fileprivate var suggestions = EventIntake.mostSuggestions
    fileprivate var rehearsal = RelayCore.Rehearsal()

    /// Events of one request at most.
    fileprivate static let mostEvents = 10_000
    /// Events taken in one slice at most.
    fileprivate static let slice = 100
    /// Events taken in one slice at least, as far as there are so many: each slice costs a sync.
    fileprivate static let leastSlice = 50
    /// How long one slice may take, in nanoseconds.
    fileprivate static let sliceNanoseconds: Int64 = 3_000_000
    /// Unknown goals of one request for which a similar name is looked for.
    fileprivate static let mostSuggestions = 5
    /// Events of one request that may wait for the disk; what comes of more at once would take as
    /// long as taking them.
    fileprivate static let mostUnwritten = 400
    /// Requests that may wait for their next slice: each holds a body of up to 1 MiB.
    fileprivate static let mostWaiting = 32

    init(
        _ exchange: Exchange, _ entry: RequestLog.Entry, _ device: Device, _ options: EventOptions,
        _ reader: EventReader, received: UnixTime
    ) {
        self.exchange = exchange.id
        self.entry = entry
        self.device = device
        self.options = options
        self.received = received
        self.reader = reader
        counter = reader
    }
}

extension Relay {
    /// `POST /events`: queued events, in order.
    func events(_ exchange: Exchange, _ context: RequestContext) throws(Problem) -> Response? {
        let device = try access.authenticate(
            exchange.request, bodyToken: nil, devices, .log, context)
        let options = try EventOptions(query: exchange.request.target.query)
        guard intakes.count < EventIntake.mostWaiting else { throw .tooManyQueues }
        let reader = try Relay.readingEvents { () throws(BodyReader.Fault) in
            try EventReader(exchange.request.body)
        }
        var intake = EventIntake(
            exchange, current, device, options, reader, received: context.moment.wall)
        if try !advance(&intake) { intakes.append(intake) }
        return nil
    }

    /// Continues the first request that can go on, for one slice.
    private func continueIntakes() {
        isIntakePosted = false
        guard let place = intakes.firstIndex(where: canGoOn) else { return }
        var intake = intakes.remove(at: place)
        guard isAwaited(intake) else {
            // What was taken is taken; who has gone without an answer sends all of it again.
            if let batch = intake.batch { batches.remove(batch) }
            return finishTurn()
        }
        do throws(Problem) {
            if try !advance(&intake) { intakes.append(intake) }
        } catch {
            refuse(intake.exchange, intake.entry, error)
        }
        finishTurn()
    }

    /// Sees to it that the requests that can go on do so in the next turn of the loop, behind what
    /// has come by then.
    func scheduleIntakes() {
        guard !intakes.isEmpty, !isIntakePosted, intakes.contains(where: canGoOn) else { return }
        isIntakePosted = true
        loop.post { self.assumeIsolated { $0.continueIntakes() } }
    }

    /// Forgets the requests under way: the disk has failed, or everybody has gone.
    ///
    /// - Returns: those that nobody has told yet.
    func abandonIntakes() -> [EventIntake] {
        defer { intakes.removeAll() }
        return intakes.filter { $0.batch == nil }
    }

    private func canGoOn(_ intake: EventIntake) -> Bool {
        guard let batch = intake.batch else { return true }
        let unwritten = batches.missing(batch) - (intake.count - intake.index)
        return unwritten < EventIntake.mostUnwritten
    }

    private func isAwaited(_ intake: EventIntake) -> Bool {
        let exchange = intake.exchange
        return server?.assumeIsolated { $0.holds(exchange) } ?? false
    }

    /// Works on a request for one slice.
    ///
    /// - Returns: whether that was the last one.
    /// - Throws: `Problem`; nothing of it was taken.
    private func advance(_ intake: inout EventIntake) throws(Problem) -> Bool {
        let end = Instant(nanoseconds: Instant.now.nanoseconds + EventIntake.sliceNanoseconds)
        if intake.counter != nil {
            guard try countEvents(&intake, until: end) else { return false }
            intake.entry.events = intake.count
            let batch = batches.open(
                intake.exchange, intake.entry, intake.options, count: intake.count)
            intake.batch = batch
            if intake.count == 0, let whole = batches.removeIfComplete(batch) { answer(whole) }
        }
        guard let batch = intake.batch else { return true }
        let moment = Moment(wall: intake.received, monotonic: clock().monotonic)
        for step in 1...EventIntake.slice where intake.index < intake.count {
            takeNext(&intake, batch, moment)
            guard step < EventIntake.leastSlice || Instant.now < end else { break }
        }
        return intake.index == intake.count
    }

    /// - Returns: whether all are counted.
    private func countEvents(
        _ intake: inout EventIntake, until end: Instant
    ) throws(Problem) -> Bool {
        while Instant.now < end {
            let element = try Relay.readingEvents { () throws(BodyReader.Fault) in
                try intake.counter?.next(reads: false)
            }
            guard element != nil else {
                intake.counter = nil
                return true
            }
            intake.count += 1
            guard intake.count <= EventIntake.mostEvents else {
                throw Problem(
                    .tooLarge,
                    "at most \(EventIntake.mostEvents) events at once; send the rest after these")
            }
        }
        return false
    }

    private func takeNext(_ intake: inout EventIntake, _ batch: Int, _ moment: Moment) {
        let index = intake.index
        intake.index += 1
        var id: EventID?
        do throws(Problem) {
            let element = try Relay.readingEvents { () throws(BodyReader.Fault) in
                try intake.reader.next()
            }
            var fields = try Relay.fields(of: element)
            id = fields.id.flatMap(EventID.init)
            fields.isStrict = fields.isStrict || intake.options.isStrict
            var press = try Press(fields, path: nil, from: intake.device, presetBook)
            press.wantsSuggestion = intake.suggestions > 0
            if core.isUnknown(press.goal) { intake.suggestions -= 1 }
            let reading = PressReading(fields, press)
            guard intake.options.isDryRun || fields.isDryRun else {
                return take(press, for: .batch(batch, index: index, reading), moment)
            }
            let rehearsed = try rehearse(press, reading, moment, &intake.rehearsal)
            finish(batch, index, .rehearsed(rehearsed))
        } catch {
            finish(batch, index, .refused(error, id: id))
        }
    }

    private static func fields(of element: EventReader.Element?) throws(Problem) -> PressFields {
        switch element {
        case .fields(let fields): return fields
        case .malformed(let place):
            throw .malformed("this event is no JSON from \(place) of the body on")
        case .noObject, .passed, nil:
            throw .malformed("this event is no JSON object; send {\"goal\": \"water\"}")
        }
    }

    private static func readingEvents<Value>(
        _ read: () throws(BodyReader.Fault) -> Value
    ) throws(Problem) -> Value {
        do throws(BodyReader.Fault) {
            return try read()
        } catch {
            guard case .malformedJSON(let place) = error else { throw .malformed(error.advice) }
            throw .malformed(
                "no JSON from \(place) on; send an array of events, an object with 'events', or "
                    + "one object a line")
        }
    }
}

extension Problem {
    fileprivate static let tooManyQueues = Problem(
        .crowded, "many queues are being taken already; send the same again in a few seconds",
        fields: [Response.Field("Retry-After", "5")])
}
