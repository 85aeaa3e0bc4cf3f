import BeemedDomain
import RelayHTTP

/// New accounts whose user Beeminder has not confirmed.
struct Verifications {
    /// The form of the answer.
    enum Form {
        case json
        /// A page, which also removes the cookie of the authorization.
        case page
    }

    /// One pending account and its request.
    struct Pending {
        var call: Call
        var account: Account
        /// The user name claimed with the token.
        var claimed: String?
        var form: Form
    }

    private var pending: [Int: Pending] = [:]
    /// Counts every change of the account: only the latest one takes effect.
    private var last = 0

    /// Adds an account.
    ///
    /// - Returns: its number.
    mutating func begin(_ account: Pending) -> Int {
        last += 1
        pending[last] = account
        return last
    }

    /// Invalidates the pending accounts.
    mutating func overtake() {
        last += 1
    }

    /// Removes an account.
    mutating func end(_ number: Int) -> Pending? { pending.removeValue(forKey: number) }

    /// Whether it is still the latest change.
    func isLast(_ number: Int) -> Bool { number == last }
}
