import BeemedDomain
import RelayHTTP

/// A request on its way through the relay, and its entry in the request log. An object: it waits in
/// several lists for its answer, and a copy of all that it holds costs more than an object.
final class Call: RequestLog.Entry {
    /// Names the request for the server.
    let id: ExchangeID
    private(set) var request: Request
    /// What is known of its head.
    let known: KnownHead
    /// When and from where it came.
    let context: RequestContext
    /// How its press was read, if it has one.
    var reading = PressReading.none
    /// Whether no cache may store the answer: a GET that changes something must come here each
    /// time.
    var forbidsStorage = false

    /// When it arrived.
    var moment: Moment { context.moment }

    init(
        _ id: ExchangeID, _ request: Request, _ known: KnownHead,
        _ context: consuming RequestContext
    ) {
        self.id = id
        self.request = request
        self.known = known
        self.context = context
        super.init(request, from: self.context.peer, at: self.context.moment.wall)
    }

    /// Forgets a content that the request log does not show, when it was read or handed on.
    func dropHiddenContent() {
        guard !showsContent, bodyBytes > 0 else { return }
        request = request.withoutBody
        forgetContent()
    }

    /// Forgets a body that is too long for the request log, when it was read or handed on.
    func dropLongBody() {
        if bodyBytes > RequestLog.bodyBytes { request = request.withoutBody }
    }
}
