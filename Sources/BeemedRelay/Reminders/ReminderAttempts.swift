import BeemedDomain
import RelayTrunk

/// The last attempts to reach services, for the user who wonders why no reminder came.
struct ReminderAttempts: Sendable {
    /// An attempt.
    struct Attempt: Sendable {
        /// The attempted action.
        enum Action: String, Sendable {
            case send, withdraw, test
        }

        let at: UnixTime
        let service: String
        let action: Action
        let message: NotifyMessage
        /// Why the attempt failed; nil for success.
        let fault: String?
    }

    /// Newest first.
    private(set) var list: [Attempt] = []

    /// Attempts that are remembered, at most.
    private static let most = 50

    mutating func record(_ attempt: Attempt) {
        list.insert(attempt, at: 0)
        if list.count > ReminderAttempts.most { list.removeLast() }
    }
}
