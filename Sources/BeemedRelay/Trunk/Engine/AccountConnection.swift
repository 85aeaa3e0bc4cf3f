import BeemedDomain
import RelayHTTP

/// The account as it is saved, and new ones that Beeminder is asked about.
final class AccountConnection {
    /// The account whose presses are delivered; nil without one.
    private(set) var connected: ConnectedAccount?
    /// Whether the account came from the environment, as it will at the next start.
    let environmentWins: Bool
    /// Counts every change of the account: only the latest one takes effect.
    private var changes = 0
    private let engine: RelayEngine
    private let leaves: [any LeafState]
    private let files: SettingsFiles
    private let log: Log

    init(
        _ connected: ConnectedAccount?, _ engine: RelayEngine, _ leaves: [any LeafState],
        _ files: SettingsFiles, _ log: Log
    ) {
        (self.connected, self.engine, self.leaves) = (connected, engine, leaves)
        (self.files, self.log) = (files, log)
        environmentWins = connected?.isSaved == false
    }

    // MARK: Changes

    /// Begins a change of the account, which overtakes all others, and returns its number.
    @discardableResult func begin() -> Int {
        changes += 1
        return changes
    }

    func isLatest(_ number: Int) -> Bool { number == changes }

    /// Connects an account, unless its token cannot be used.
    ///
    /// - Parameters:
    ///   - claimed: the user name that came with the token.
    ///   - identity: what Beeminder has said of it.
    nonisolated(nonsending) func connect(
        _ new: Account, claimed: String?, _ identity: Identity, at now: UnixTime
    ) async throws(Problem) {
        if let problem = Problem(identity, claimed: claimed) { throw problem }
        let conflict = conflict(with: identity.user)
        if let conflict, !conflict.mayTakeOver {
            throw Problem(.tokenRefused, "nothing was changed: \(conflict.words)")
        }
        var connected = ConnectedAccount(new: new, at: now)
        connected.learn(identity, claimed: claimed)
        try await save(connected)
        log.connected(identity)
        engine.upstream.use(connected.account)
        let user = identity.user.map { TokenUser.named($0) }
        engine.handle(.connected(user ?? connected.tokenUser))
        if conflict != nil { engine.handle(.takenOver) }
    }

    /// Removes the account.
    nonisolated(nonsending) func disconnect() async throws(Problem) {
        try await save(nil)
        engine.upstream.use(nil)
        engine.handle(.disconnected)
    }

    /// Saves the account; nil removes it. Only then it takes effect: presses must not go to an
    /// account that a restart forgets.
    private nonisolated(nonsending) func save(_ new: ConnectedAccount?) async throws(Problem) {
        let isSaved = await withCheckedContinuation { continuation in
            files.add { continuation.resume(returning: $0.save(new, $1)) }
        }
        guard isSaved else { throw .notSaved("the account", isInEffect: false) }
        connected = new
    }

    /// Saves that Beeminder has named the user of a saved token: the next start needs not wait for
    /// that, and commands show it while no relay runs.
    func recordVerified() {
        guard var account = connected, !account.isVerified, let user = engine.core.view.user else {
            return
        }
        (account.user, account.isVerified) = (user, true)
        connected = account
        if account.isSaved { files.add { [account] in _ = $0.save(account, $1) } }
    }

    // MARK: Another user

    /// The conflict between the token's user and the folder's; nil when they are the same.
    var conflict: FolderConflict? { conflict(with: engine.core.account.other) }

    /// The same for a user whom Beeminder has named just now.
    private func conflict(with user: UpstreamUser?) -> FolderConflict? {
        guard let user, let owner = engine.core.view.folderUser, engine.core.view.isOther(user)
        else {
            return nil
        }
        return FolderConflict(
            owner: owner.name, other: user.name, unsettled: engine.core.view.unsettledEvents,
            isBusy: leaves.contains { $0.isBusy })
    }

    /// The token of another user, which Beeminder could not be asked about when it was connected,
    /// takes over the folder once nothing waits.
    ///
    /// - Returns: whether it does now.
    func takeOverIfSettled() -> Bool {
        guard let conflict, conflict.mayTakeOver else { return false }
        engine.handle(.takenOver)
        return true
    }
}

extension Problem {
    /// The reason to reject an account; nil for a usable one.
    package init?(_ identity: Identity, claimed: String?) {
        switch identity {
        case .refused: self = .tokenRefused
        case .named(let user):
            guard let claimed, claimed.lowercased() != user.name.lowercased() else { return nil }
            self = .tokenOfAnother(user.name)
        case .unnamed, .unclear, .faulty: return nil
        }
    }

    private static let tokenRefused = Problem(
        .tokenRefused,
        "Beeminder does not take this token; nothing was changed. A personal token is the text "
            + "after \"auth_token\" at https://www.beeminder.com/api/v1/auth_token.json, and not "
            + "an access token")

    /// Without the name that was claimed, in whose place a token may have been given.
    private static func tokenOfAnother(_ user: String) -> Problem {
        Problem(
            .tokenRefused,
            "this is the token of '\(user)', and not of the user that was named; nothing was "
                + "changed")
    }
}

extension Log {
    fileprivate func connected(_ identity: Identity) {
        switch identity {
        case .named(let user): info("connected", [("user", user.name)])
        case .unnamed, .refused: info("connected", [])
        case .unclear(let why): warning("connected, not verified yet", [("why", why)])
        case .faulty(let status):
            warning("connected, not verified yet", [("why", "status \(status)")])
        }
    }
}
