import BeemedDomain

/// Permission to call Beeminder. In a cluster only the leader has it, and only as long as its lease
/// cannot have ended: two relays must never deliver the same journal.
package struct SendPermit: Sendable {
    /// Nil for a relay that is alone.
    private let term: LeaseTerm?

    /// A relay without a cluster may always call.
    package static let alone = SendPermit(term: nil)

    private init(term: LeaseTerm?) {
        self.term = term
    }

    /// The permission of a leader.
    ///
    /// - Parameter proof: shows that this relay leads when the call begins.
    init(_ proof: Leadership, of term: LeaseTerm) {
        self.term = term
    }

    /// The permission of a relay that leads, or is alone; nil when the term has ended.
    static func now(of term: LeaseTerm?) -> SendPermit? {
        guard let term else { return alone }
        return term.proof.map { SendPermit($0, of: term) }
    }

    /// Whether the call may go on.
    var isValid: Bool { term.map { $0.proof != nil } ?? true }
}
