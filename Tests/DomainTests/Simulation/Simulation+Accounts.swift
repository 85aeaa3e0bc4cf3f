@testable import BeemedDomain

/// Tokens that are mistyped, users that switch, goals that appear.
extension Simulation {
    /// Whose tokens there are: alice's, bob's, and such as are nobody's.
    static let owners = ["a", "a", "b", "t"]

    /// Whose a token is; nil for one that was mistyped.
    static func user(of token: String) -> String? {
        switch token.first {
        case "a": "alice"
        case "b": "bob"
        default: nil
        }
    }

    /// The relay is given the token that is used once more, or a new one of that owner. A token
    /// that is given again after another one has a new name too.
    mutating func connect(with owner: String? = nil) {
        if let owner {
            tokens += 1
            token = "\(owner)\(tokens)"
        }
        beeminder.user = Simulation.user(of: self.token)
        apply(.connected(as: ConnectionName(self.token), user: nil))
    }

    /// Somebody connects another account, or the same by another token, or mistypes one.
    mutating func switchToken() {
        connect(with: Simulation.owners.randomElement(using: &chance))
        isConnected = true
    }

    /// Nothing goes to another user than the one that it was accepted for.
    mutating func checkOwner(_ outgoing: OutgoingDatapoint) {
        guard let event = core.ledger[outgoing.number]?.event,
            let accepted = event.connection?.description
        else { return }
        if accepted != token { beeminder.withoutOrder.insert(outgoing.requestID) }
        guard let user = beeminder.user else {
            return promises.require(
                accepted == token, "\(event.key) was sent by a token that nobody has named")
        }
        // What came under a token that was never named belongs to the next user that is.
        if ConnectionName(token).flatMap({ core.account.users.verified($0) }) != nil {
            namedTokens.insert(token)
        }
        let owner = namedTokens.contains(accepted) ? Simulation.user(of: accepted) : nil
        promises.require(
            owner == nil || owner == user,
            "\(event.key) was sent to \(user) and is \(owner ?? "")'s")
    }

    mutating func fetchGoals() -> GoalAnswer {
        guard beeminder.mood == .good || beeminder.mood == .losesAnswers else {
            return missedUser
        }
        guard let user = beeminder.user else { return .unauthorized }
        // Now and then a list is empty for no reason.
        if Int.random(in: 0..<12, using: &chance) == 0 { return .goals([], user: named(user)) }
        let slugs = ["water", "pushups", "read", "late"].filter { slug in
            !beeminder.missing.contains(slug) && (slug != "late" || beeminder.hasLate)
        }
        return .goals(slugs.map { Goal(slug: .known($0)) }, user: named(user))
    }

    private var missedUser: GoalAnswer {
        switch beeminder.mood {
        case .signedOut: .unauthorized
        case .redirects, .portal: .misdirected("mood")
        default: .unclear("mood")
        }
    }

    private func named(_ user: String) -> UpstreamUser {
        UpstreamUser(name: user, timezone: "Europe/Berlin")
    }
}
