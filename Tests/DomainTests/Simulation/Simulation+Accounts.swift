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

    /// The relay is given the token that is used once more, or one of that owner.
    mutating func connect(with owner: String? = nil) {
        token = owner ?? token
        beeminder.user = Simulation.user(of: token)
        apply(.connected(.unknown))
    }

    /// The token of the folder's user; alice's before anybody was named.
    var ownToken: String { core.account.user?.name == "bob" ? "b" : "a" }

    /// Somebody connects another account, or the same by another token, or mistypes one.
    mutating func switchToken() {
        connect(with: Simulation.owners.randomElement(using: &chance))
        isConnected = true
    }

    /// Whose an event is: the folder's user's when it was accepted, or whose that is first. A user
    /// who is not durable yet may be another one after a power cut.
    mutating func recordOwner(_ key: EventKey) {
        guard core.account.isRecorded else { return }
        if owners[key] == nil { owners[key] = core.account.user?.name }
    }

    /// Nothing goes to another user than the one that it was accepted for.
    mutating func checkOwner(_ outgoing: OutgoingDatapoint) {
        guard let key = core.ledger[outgoing.number]?.event.key else { return }
        recordOwner(key)
        promises.require(
            owners[key] != nil && owners[key] == beeminder.user,
            "\(key) was sent by a token of \(beeminder.user ?? "nobody")")
    }

    /// The token's user takes over the folder, when nobody expects anything of its former one.
    mutating func takeOverFolder() {
        guard flights.isEmpty, late.isEmpty, requests.isEmpty, commands.isEmpty,
            devices.allSatisfy({ $0.current == nil })
        else { return }
        let before = core.account.user
        apply(.takenOver)
        guard core.account.user != before else { return }
        takeovers += 1
        // An id that comes again is a new press, of the new user.
        for index in devices.indices { devices[index].replace(&chance) }
        owners = [:]
        promises.beginAnew()
        days.beginAnew()
    }

    /// When all is over, somebody else takes over the folder, and presses.
    mutating func beginAnew() throws {
        for key in core.ledger.all.filter(\.isRefused).map(\.event.key) {
            if days.days[key] != nil { days.meddle(key) }
            promises.want(undone: key)
            command(key, .undo(key))
        }
        try drainWhatCanArrive()
        connect(with: ownToken == "a" ? "b" : "a")
        while !flights.isEmpty { requestEnded() }
        if core.account.other == nil {
            pass()
            while !flights.isEmpty { requestEnded() }
        }
        takeOverFolder()
        for _ in 0..<20 { try step() }
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
        default: .unclear("mood")
        }
    }

    private func named(_ user: String) -> UpstreamUser {
        UpstreamUser(name: user, timezone: "Europe/Berlin")
    }
}
