import BeemedDomain
import RelayHTTP

/// The account as it is saved, and new ones that Beeminder is asked about.
struct AccountConnection {
    var connected: ConnectedAccount?
    /// Whether the account came from the environment, as it will at the next start.
    let environmentWins: Bool
    /// Counts every change of the account: only the latest one takes effect.
    private var changes = 0

    init(_ connected: ConnectedAccount?) {
        self.connected = connected
        environmentWins = connected?.isSaved == false
    }

    /// Begins a change of the account, which overtakes all others, and returns its number.
    @discardableResult mutating func begin() -> Int {
        changes += 1
        return changes
    }

    func isLatest(_ number: Int) -> Bool { number == changes }

    /// The connected account, if Beeminder has just named its user and that is not saved.
    func verified(as user: String?) -> ConnectedAccount? {
        guard var account = connected, !account.isVerified, let user else { return nil }
        (account.user, account.isVerified) = (user, true)
        return account
    }
}

extension Relay {
    /// Saves that Beeminder has named the user of a saved token: the next start needs not wait for
    /// that, and commands show it while no relay runs.
    func recordVerified() {
        guard let verified = account.verified(as: engine.core.user) else { return }
        account.connected = verified
        if verified.isSaved { files.add { _ = $0.save(verified, $1) } }
    }

    /// The conflict between the token's user and the folder's; nil when they are the same.
    var conflict: FolderConflict? { conflict(with: engine.core.account.other) }

    /// The same for a user whom Beeminder has named just now.
    func conflict(with user: UpstreamUser?) -> FolderConflict? {
        guard let user, let owner = engine.core.account.user, engine.core.isOther(user) else {
            return nil
        }
        return FolderConflict(
            owner: owner.name, other: user.name, unsettled: engine.core.unsettledEvents,
            isBusy: leaves.contains { $0.isBusy })
    }

    /// The token of another user, which Beeminder could not be asked about when it was connected,
    /// takes over the folder once nothing waits. In a cluster each relay has a token of its own, so
    /// that only a person says which one counts.
    func takeOverWhenSettled() {
        guard settings.cluster.store == nil, let conflict, conflict.mayTakeOver else { return }
        engine.handle(.takenOver)
        loop.post { self.assumeIsolated { $0.finishTurn() } }
    }

    /// Another user has the folder, durably: what is a user's and not in the journal goes. The
    /// saved goals name the user last, so that a start after a crash does it again.
    func forgetFormerUser() {
        let (files, book) = (files, engine.core.goals)
        let removals = leaves.compactMap { $0.forgetUser(in: self) }
        files.add { store, log in
            for remove in removals { remove(store, log) }
            store.forgetFormerUser(log)
            store.save(book, log)
        }
        log.warning(
            "the folder begins anew for another user", [("user", engine.core.user ?? "")])
    }
}
