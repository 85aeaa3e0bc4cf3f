import BeemedDomain
import RelayHTTP

/// Accounts that somebody has given, of which Beeminder has not said whose they are.
struct Verifications {
    /// How somebody is told what became of an account.
    enum Form {
        case json
        /// As a page, which ends the cookie of the authorisation.
        case page(isSecure: Bool)
    }

    /// One of them, and the request that waits for it.
    struct Pending {
        var exchange: ExchangeID
        var entry: RequestLog.Entry
        var account: Account
        /// Whose it is, as was said with the token.
        var claimed: String?
        var form: Form
    }

    private var pending: [Int: Pending] = [:]
    /// How often an account was given or taken away: only the last time counts.
    private var last = 0

    /// Notes an account.
    ///
    /// - Returns: its number.
    mutating func begin(_ account: Pending) -> Int {
        last += 1
        pending[last] = account
        return last
    }

    /// What was given before counts no longer.
    mutating func overtake() {
        last += 1
    }

    /// Takes an account out, and says whether none was given or taken away since.
    mutating func end(_ number: Int) -> (account: Pending, isLast: Bool)? {
        pending.removeValue(forKey: number).map { ($0, number == last) }
    }
}

/// The Beeminder account.
