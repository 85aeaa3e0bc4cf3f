import BeemedDomain

/// Calls to Beeminder, all with the token of the account that was connected when the operation
/// began: calls for one user's events must never use the token of another user who is connected
/// before the operation ends.
struct BeeminderOperation: Sendable {
    typealias APIRequest = BeeminderClient.APIRequest

    let client: BeeminderClient
    /// Nil when none was connected.
    let account: Account?

    /// Performs a call, unless the account has changed.
    func perform(_ call: APIRequest) throws(TransportFailure) -> UpstreamAnswer {
        guard let account, client.connected == account else { throw .accountChanged }
        return try client.perform(call, as: account)
    }
}

extension TransportFailure {
    private var isUnreachable: Bool {
        switch self {
        case .network, .noLibrary, .unsendable: true
        case .tooLarge, .accountChanged, .notLeading: false
        }
    }

    /// The result of a failed request for the user.
    var answer: GoalAnswer {
        let isTimeout = self == .network(NetworkError.timedOut)
        return isUnreachable ? .unreachable(words, isTimeout: isTimeout) : .unclear(words)
    }

    /// The result of any other failed operation.
    var outcome: Outcome { isUnreachable ? .unreachable(words) : .unclear(words) }
}
