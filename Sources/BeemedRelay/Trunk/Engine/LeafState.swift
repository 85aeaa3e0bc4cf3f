package import BeemedDomain
package import RelayHTTP

/// The state of a leaf while a relay runs, on its loop.
package protocol LeafState: AnyObject {
    /// Whether the leaf has taken presses or days that the account does not have yet.
    var isBusy: Bool { get }

    /// Something has happened in the relay.
    func note(_ event: LeafEvent, in relay: isolated Relay)

    /// A turn of the loop is over, and its answers are sent: does what is due.
    ///
    /// - Returns: when the next call is due at the latest; nil when nothing waits for time.
    func followUp(in relay: isolated Relay, at now: Moment) -> Monotonic?

    /// Another user has the folder: forgets the former user's data, and begins to remove it.
    ///
    /// - Returns: waits for the removal, off the loop; nil if there is nothing.
    func forgetUser(in relay: isolated Relay) -> (@Sendable (RelayStore, Log) -> Void)?
}

extension LeafState {
    /// Nothing is under way.
    package var isBusy: Bool { false }

    /// Ignores all events.
    package func note(_ event: LeafEvent, in relay: isolated Relay) {}

    /// Nothing is due.
    package func followUp(in relay: isolated Relay, at now: Moment) -> Monotonic? { nil }

    /// Keeps nothing of a user.
    package func forgetUser(in relay: isolated Relay) -> (@Sendable (RelayStore, Log) -> Void)? {
        nil
    }
}

/// The events of a relay, for its leaves.
package enum LeafEvent {
    /// The relay begins, or its settings are new.
    case settingsChanged
    /// The devices are new, or time has passed since they were last seen.
    case devicesChanged
    /// Beeminder has answered, or could not be reached.
    case upstreamAnswered
    /// From now on the present day is known.
    case presentDayKnown
    /// The client of a long answer has read all parts so far.
    case partWanted(ExchangeID)
    /// The connection of an exchange is needed, or has ended.
    case waitEnded(ExchangeID)
    /// Tokens were revoked: long answers to bearers with these digests end.
    case revoked((TokenDigest) -> Bool)
    /// The relay stops: nothing may hold up the answers.
    case stopping
    /// The relay can promise nothing more: what waits is answered so.
    case failed
}
