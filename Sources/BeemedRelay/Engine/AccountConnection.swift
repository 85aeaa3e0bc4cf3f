import BeemedDomain

/// The account as it is saved, and new ones that Beeminder is asked about.
struct AccountConnection {
    /// The connected account.
    var connected: ConnectedAccount?
    var verifications = Verifications()
    /// Whether the account came from the environment, as it will at the next start.
    let environmentWins: Bool

    init(_ connected: ConnectedAccount?) {
        self.connected = connected
        environmentWins = connected?.isSaved == false
    }

    /// The connected account, if Beeminder has just named its user and that is not saved.
    func verified(as user: String?) -> ConnectedAccount? {
        guard var account = connected, account.isSaved, !account.isVerified, let user else {
            return nil
        }
        (account.user, account.isVerified) = (user, true)
        return account
    }
}

extension Relay {
    /// Saves that Beeminder has named the user of a saved token: commands show it while no relay
    /// runs.
    func recordVerified() {
        guard let verified = account.verified(as: engine.core.user) else { return }
        account.connected = verified
        files.saveCache { _ = $0.save(verified, $1) }
    }
}
