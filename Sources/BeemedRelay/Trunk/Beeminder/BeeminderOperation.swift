import BeemedDomain

/// Calls to Beeminder, all with the token of the account for which the operation began: calls for
/// one user's events must never use the token of another user who is connected before the operation
/// ends.
struct BeeminderOperation: Sendable {
    /// The purpose of the calls.
    enum Purpose: Sendable {
        /// The connected account's events and goals. No further call is made when another account
        /// is connected, or none.
        case work
        /// To identify a token's user, whose account may not be connected.
        case identity
    }

    let client: BeeminderClient
    /// Nil when none was connected.
    let account: Account?
    let purpose: Purpose

    /// Performs a call, unless the account has changed.
    func perform(_ call: BeeminderClient.APIRequest) async -> Result<UpstreamAnswer, CallFailure> {
        guard let account, purpose == .identity || client.uses(account) else {
            return .failure(.accountChanged)
        }
        return await client.perform(call, as: account)
    }

    /// The relay's time.
    func wallClock() -> UnixTime { client.wallClock() }
}

/// The reason why a call has no answer.
enum CallFailure: Error, Equatable {
    case transport(HTTPTransport.Failure)
    /// Another account is connected, or none: the call was not made.
    case accountChanged
    /// Another relay of the cluster may lead: the call was not made.
    case notLeading

    /// Error text for the user, without the URL.
    var words: String {
        switch self {
        case .transport(let failure): failure.words
        case .accountChanged: "not asked: the account was changed meanwhile"
        case .notLeading: "not asked: another relay of the cluster may lead"
        }
    }

    /// The result of a failed request for the user.
    var answer: GoalAnswer {
        switch self {
        case .transport(.network(let code)):
            .unreachable(words, isTimeout: code == NetworkError.timedOut)
        case .transport(.noLibrary), .transport(.unsendable): .unreachable(words, isTimeout: false)
        case .transport(.tooLarge), .accountChanged, .notLeading: .unclear(words)
        }
    }

    /// The result of any other failed operation.
    var outcome: Outcome {
        switch self {
        case .transport(.network), .transport(.noLibrary), .transport(.unsendable):
            .unreachable(words)
        case .transport(.tooLarge), .accountChanged, .notLeading: .unclear(words)
        }
    }
}
