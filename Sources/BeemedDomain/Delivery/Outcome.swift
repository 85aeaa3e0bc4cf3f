/// The outcome of sending one event to Beeminder, by the reaction it requires.
package enum Outcome: Sendable, Equatable {
    /// Beeminder has it.
    case delivered(Delivered, datapoint: String?)
    /// A datapoint to be deleted does not exist, or never did.
    case erased
    /// The request may have arrived or not: the answer was invalid, or Beeminder reports a fault.
    /// To send the same bytes again is safe because of the request id.
    case unclear(String)
    /// An earlier request has brought another content than the one that was refused.
    case outdated(datapoint: String?)
    /// Beeminder refuses to delete or change a datapoint that it has, or does not find it. The
    /// request is tried again, and delays no others.
    case unchangeable(String)
    /// No answer came. The request may have arrived or not, but the fault is in the network and
    /// affects all goals.
    case unreachable(String)
    /// Beeminder requests a wait of this many seconds; nil without a time. A limit of requests
    /// turns them away unread; a server that is overloaded may apply them later.
    case busy(retryAfter: Double?, mayBeApplied: Bool = false)
    /// Beeminder will never accept this event. It must not delay the others.
    case refused(status: Int, why: String)
    /// The account's token is refused.
    case unauthorized
    /// The token is good, perhaps, and Beeminder does not allow this, in these words: the goal may
    /// be archived, or another user's.
    case forbidden(String)
    /// The goal does not exist, or no longer.
    case noSuchGoal
    /// A server other than Beeminder answers at the address.
    case misdirected(String)

    /// The datapoint to be deleted is, or may be, at an archived goal.
    package static let archivedGoal = Outcome.unchangeable(
        "the goal is archived: its datapoint can be deleted when it is restored")
}

/// The consequences of an outcome.
extension Outcome {
    /// Whether the outcome settles the event. Every other outcome is tried again.
    var isFinal: Bool {
        switch self {
        case .delivered, .erased, .refused: true
        case .unclear, .outdated, .unchangeable, .unreachable, .busy, .unauthorized, .forbidden,
            .noSuchGoal, .misdirected:
            false
        }
    }

    /// Whether the outcome names a cause other than the event: a limit, the token or the goal.
    var blamesOthers: Bool {
        switch self {
        case .busy, .unauthorized, .noSuchGoal: true
        case .delivered, .erased, .refused, .unclear, .outdated, .unchangeable, .unreachable,
            .forbidden, .misdirected:
            false
        }
    }

    /// Whether Beeminder has not answered: nobody has, or another server.
    var isSilence: Bool {
        switch self {
        case .unreachable, .misdirected: true
        case .delivered, .erased, .refused, .unclear, .outdated, .unchangeable, .busy,
            .unauthorized, .forbidden, .noSuchGoal:
            false
        }
    }

    var isUnchangeable: Bool {
        if case .unchangeable = self { true } else { false }
    }

    var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
