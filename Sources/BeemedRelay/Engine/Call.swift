import BeemedDomain
import RelayHTTP

/// A request on its way through the relay. An object: it waits in several lists for its answer, and
/// a copy of all that it holds costs more than an object.
final class Call {
    /// Names the request for the server.
    let id: ExchangeID
    let request: Request
    /// What is known of its head.
    let known: KnownHead
    /// When and from where it came.
    let context: RequestContext
    /// Its entry in the request log.
    let entry: RequestLog.Entry
    /// How its press was read, if it has one.
    var reading = PressReading.none
    /// Whether no cache may store the answer: a GET that changes something must come here each
    /// time.
    var forbidsStorage = false

    /// When it arrived.
    var moment: Moment { context.moment }

    /// The same without the body, for a request whose body is read elsewhere.
    var withoutBody: Call { Call(self, request.withoutBody) }

    init(
        _ id: ExchangeID, _ request: Request, _ known: KnownHead,
        _ context: consuming RequestContext
    ) {
        self.id = id
        self.request = request
        self.known = known
        entry = RequestLog.Entry(request, from: context.peer, at: context.moment.wall)
        self.context = context
    }

    private init(_ call: Call, _ request: Request) {
        id = call.id
        self.request = request
        known = call.known
        context = call.context
        entry = call.entry
    }
}
