package import BeemedDomain
package import RelayHTTP

/// A request on its way through the relay, and its entry in the request log. A class: a call waits
/// in several lists for its answer, and a copy of its contents costs more than an object.
package final class Call: RequestEntry {
    /// Names the request for the server.
    package let id: ExchangeID
    /// The request, without a content that was dropped.
    ///
    /// It is computed: a stored property that other modules see is checked for exclusive access at
    /// each read, which takes a twentieth of the instructions of a request for the context.
    package var request: Request {
        guard let shown else { preconditionFailure("a call without a request") }
        return shown
    }
    /// When and from where the request came.
    package var context: RequestContext { circumstances }
    private var circumstances: RequestContext
    /// Whether no cache may store the answer: a GET that changes something must come each time.
    var forbidsStorage = false

    /// The name in its path; nil without one.
    private(set) var pathName: String?
    /// The head that it shares with the request before it; nil for another one.
    var known: KnownHead?
    /// The press that is to be accepted, which the answer tells of; nil for none.
    var press: ReadPress?
    /// The device whose token or sign-in the request had; nil before it is identified.
    private(set) var sender: Sender?

    /// The sender; the handler of a route that requires a right runs only when it is known.
    package var bearer: Device {
        guard let sender else { preconditionFailure("a handler before the sender is known") }
        return sender.device
    }

    /// The name in its path, as that of a goal; empty without one.
    package var name: String { pathName ?? "" }

    /// When the request arrived.
    package var moment: Moment { circumstances.moment }

    /// Whether it only looks at a GET that changes something or signs in: a HEAD, a prefetch or a
    /// preview of a link.
    var isLook: Bool {
        forbidsStorage && (request.method == .head || request.method == .get && request.isPrefetch)
    }

    init(_ id: ExchangeID, _ request: Request, _ context: consuming RequestContext) {
        self.id = id
        circumstances = context
        super.init(request, from: circumstances.peer, at: circumstances.moment.wall)
    }

    func assign(_ route: Route, name: String?) {
        self.route = route
        pathName = name
        circumstances.changesByGet = route.traits.contains(.changesByGet)
        forbidsStorage = !route.traits.isDisjoint(with: [.changesByGet, .signsIn])
    }

    func assign(_ known: KnownHead) {
        self.known = known
        assign(known.sender)
        assign(known.route, name: known.name)
    }

    func assign(_ sender: Sender) {
        self.sender = sender
        device = sender.device.name.description
    }
}

extension Problem {
    /// The requests of a kind that may be taken at once are.
    package static let crowded = retryLater(
        .crowded,
        "other requests of this kind are in progress; send the same again in a few seconds",
        after: 5)
}

/// Slots for requests that wait. No sender has more than a quarter of them.
package enum Slots {
    /// Checks that one more request may take one of these slots, which those requests hold.
    package static func check(
        _ call: Call, among places: Int, heldBy calls: some Sequence<Call>
    ) throws(Problem) {
        let senders = calls.map { $0.sender?.device.tokenHash }
        guard allow(call.sender?.device.tokenHash, among: places, heldBy: senders) else {
            throw .crowded
        }
    }

    /// Whether a sender may take one more of so many slots, which these senders hold.
    package static func allow<ID: Equatable>(
        _ sender: ID, among places: Int, heldBy senders: [ID]
    ) -> Bool {
        senders.count < places && senders.count { $0 == sender } < max(1, places / 4)
    }
}

/// The receiver of the reply to a command for the core; nil when the relay can promise nothing more.
package enum Recipient {
    /// The client of a request. A press needs no function, whose memory would cost a fortieth of it.
    case request(Call)
    case function((Reply?) -> Void)
}
