import BeemedDomain
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Something that is done at Beeminder with one or more calls, all of them with the token of the
/// account that it was begun for: what one user's events need must never be done with the token of
/// another one, who is connected before it has ended.
struct BeeminderOperation: Sendable {
    /// What the calls are for.
    enum Purpose: Sendable {
        /// The connected account's events and goals. Nothing more is asked when another account is
        /// connected, or none.
        case work
        /// To learn whose a token is, which may not be connected at all.
        case identity
    }

    let client: BeeminderClient
    /// Nil when none was connected.
    let account: Account?
    let purpose: Purpose

    /// Performs a call, unless the account was changed meanwhile.
    func perform(_ call: BeeminderClient.Call) async -> Result<UpstreamAnswer, CallFailure> {
        guard let account, purpose == .identity || client.uses(account) else {
            return .failure(.accountChanged)
        }
        return await client.perform(call, as: account)
    }

    /// The relay's time.
    func wallClock() -> UnixTime { client.wallClock() }
}

/// Why a call has no answer.
enum CallFailure: Error, Equatable {
    case transport(HTTPTransport.Failure)
    /// Another account is connected, or none: it was not made.
    case accountChanged

    /// For people, without the URL.
    var words: String {
        switch self {
        case .transport(let failure): failure.words
        case .accountChanged: "not asked: the account was changed meanwhile"
        }
    }

    /// What it means for a question about the user.
    var answer: GoalAnswer {
        switch self {
        case .transport(.network(let code)):
            .unreachable(words, isTimeout: code == URLError.timedOut.rawValue)
        case .transport(.tooLarge), .accountChanged: .unclear(words)
        }
    }

    /// What it means for whatever was under way.
    var outcome: Outcome {
        switch self {
        case .transport(.network): .unreachable(words)
        case .transport(.tooLarge), .accountChanged: .unclear(words)
        }
    }
}
