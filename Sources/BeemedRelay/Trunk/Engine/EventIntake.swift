import BeemedDomain
import RelayHTTP

/// The progress of a request with many events. It is processed in slices, with other requests in
/// between, so that one long queue does not delay a button.
struct EventIntake {
    let call: Call
    let device: Device
    let options: EventOptions
    /// The time of receipt, used for events without a time.
    let received: UnixTime
    /// Counts the events, and checks that the whole body can be read, before any event is accepted;
    /// nil afterwards.
    fileprivate var counter: EventReader?
    fileprivate var reader: EventReader
    fileprivate var count = 0
    /// The index of the next event.
    fileprivate var index = 0
    /// The number of its batch, once the events are counted.
    fileprivate var batch: Int?
    /// Whether its token or sign-in was taken away meanwhile: then the rest of it is refused.
    var isRevoked = false
    /// Remaining searches for names similar to an unknown goal.
    fileprivate var suggestions = EventIntake.mostSuggestions
    fileprivate var rehearsal = RelayCore.Rehearsal()

    /// Events of one request, at most.
    fileprivate static let mostEvents = 10_000
    /// Events of one slice, at most.
    fileprivate static let slice = 100
    /// Events of one slice, at least, if that many remain: each slice costs a sync. Events of the
    /// maximum length are fewer, since a slice with one of them has all its time.
    fileprivate static let leastSlice = 50
    /// Time limit of one slice, in nanoseconds.
    fileprivate static let sliceNanoseconds: Int64 = 3_000_000
    /// Unknown goals of one request for which similar names are searched.
    fileprivate static let mostSuggestions = 5
    /// Unsynced events of one request, at most: the outcomes of more at once would take as long to
    /// process as the events themselves.
    fileprivate static let mostUnwritten = 400
    /// Requests that may wait for their next slice: each holds a body of up to 1 MiB.
    fileprivate static let mostWaiting = 32

    init(
        _ call: Call, _ device: Device, _ options: EventOptions, _ reader: EventReader
    ) {
        self.call = call
        self.device = device
        self.options = options
        received = call.moment.wall
        self.reader = reader
        counter = reader
    }
}

/// The requests with many events that are under way.
struct EventQueues {
    /// Those that wait for their next slice, in turn.
    var intakes: [EventIntake] = []
    var batches = EventBatches()
    /// Whether the next slice is scheduled.
    var isPosted = false
}

extension Relay {
    /// `POST /events`: queued events, in order.
    func receiveEvents(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        let options = try EventOptions(query: call.request.target.query)
        let calls = queues.intakes.lazy.map(\.call)
        guard hasPlace(for: call, among: EventIntake.mostWaiting, heldBy: calls) else {
            throw .tooManyQueues
        }
        let reader = try Relay.readingEvents { () throws(BodyReader.Fault) in
            try EventReader(call.request.body)
        }
        var intake = EventIntake(call, device, options, reader)
        if try !advance(&intake) { queues.intakes.append(intake) }
        return nil
    }

    /// Processes one slice of the first request that can continue.
    private func continueIntakes() {
        queues.isPosted = false
        guard let place = queues.intakes.firstIndex(where: canGoOn) else { return }
        var intake = queues.intakes.remove(at: place)
        guard isAwaited(intake) else {
            // Accepted events stay accepted; a client without an answer resends all of them.
            if let batch = intake.batch { queues.batches.remove(batch) }
            return finishTurn()
        }
        do throws(Problem) {
            if try !advance(&intake) { queues.intakes.append(intake) }
        } catch {
            answer(intake.call, .failure(error))
        }
        finishTurn()
    }

    /// Schedules the requests that can continue for the next turn of the loop, behind new requests.
    func scheduleIntakes() {
        guard !queues.intakes.isEmpty, !queues.isPosted, queues.intakes.contains(where: canGoOn)
        else { return }
        queues.isPosted = true
        loop.post { self.assumeIsolated { $0.continueIntakes() } }
    }

    /// Discards the requests in progress, after a disk failure or when all clients have gone.
    ///
    /// - Returns: those without an answer.
    func abandonIntakes() -> [EventIntake] {
        defer { queues.intakes.removeAll() }
        return queues.intakes.filter { $0.batch == nil }
    }

    private func canGoOn(_ intake: EventIntake) -> Bool {
        guard let batch = intake.batch else { return true }
        let unwritten = queues.batches.missing(batch) - (intake.count - intake.index)
        return unwritten < EventIntake.mostUnwritten
    }

    private func isAwaited(_ intake: EventIntake) -> Bool {
        let id = intake.call.id
        return site?.server.assumeIsolated { $0.holds(id) } ?? false
    }

    /// Processes one slice of a request.
    ///
    /// - Returns: whether it was the last one.
    /// - Throws: `Problem`; no event of the request was accepted.
    private func advance(_ intake: inout EventIntake) throws(Problem) -> Bool {
        let end = Instant(nanoseconds: Instant.now.nanoseconds + EventIntake.sliceNanoseconds)
        if intake.counter != nil {
            guard try countEvents(&intake, until: end) else { return false }
            intake.call.events = intake.count
            let batch = queues.batches.open(
                intake.call, intake.options, count: intake.count)
            intake.batch = batch
            if intake.count == 0, let whole = queues.batches.removeIfComplete(batch) {
                answer(whole)
            }
        }
        guard let batch = intake.batch else { return true }
        let moment = Moment(wall: intake.received, monotonic: environment.clock().monotonic)
        let most = intake.reader.position + EventReader.mostBytes
        for step in 1...EventIntake.slice where intake.index < intake.count {
            acceptNext(&intake, batch, moment)
            let isShort = step < EventIntake.leastSlice && intake.reader.position < most
            guard isShort || Instant.now < end else { break }
        }
        return intake.index == intake.count
    }

    /// - Returns: whether all events are counted.
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

    private func acceptNext(_ intake: inout EventIntake, _ batch: Int, _ moment: Moment) {
        let index = intake.index
        intake.index += 1
        var id: EventID?
        do throws(Problem) {
            let element = try Relay.readingEvents { () throws(BodyReader.Fault) in
                try intake.reader.next()
            }
            let fields = try Relay.fields(of: element)
            id = fields.id.flatMap { EventID($0) }
            guard !intake.isRevoked else { throw .revoked }
            fields.isStrict = fields.isStrict || intake.options.isStrict
            var press = try Press(fields, path: nil, from: intake.device, presets.book) {
                engine.core.goals.names(of: $0)
            }
            press.wantsSuggestion = intake.suggestions > 0
            if engine.core.isUnknown(press.goal, at: moment) { intake.suggestions -= 1 }
            let reading = PressReading(fields, time: press.time, id: press.id)
            guard intake.options.isDryRun || fields.isDryRun else {
                return engine.submit(
                    press, reply: .batch(batch, index: index, reading), at: moment)
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
            throw .malformed("this event is not valid JSON at \(place) of the body")
        case .notText:
            throw .malformed("this event is not UTF-8 text; send it as UTF-8")
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
            if error == .tooLong { throw Problem(.tooLarge, error.advice) }
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
