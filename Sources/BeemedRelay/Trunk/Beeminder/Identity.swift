package import BeemedDomain

/// The user of a token, according to Beeminder.
package enum Identity: Sendable, Equatable {
    case named(UpstreamUser)
    /// Accepted by a test server that names no user.
    case unnamed
    /// Beeminder rejects the token.
    case refused
    /// Unknown, with the reason.
    case unclear(String)
    /// Beeminder answers with an error of its own, of this status.
    case faulty(Int)

    /// The user, if Beeminder has named one.
    var user: UpstreamUser? { if case .named(let user) = self { user } else { nil } }

    /// Reads the answer to `users/me.json`. Only Beeminder's own JSON rejects a token: a page, or a
    /// bare status, may come from any proxy.
    init(_ answer: UpstreamAnswer) {
        guard answer.status < 500 else {
            self = .faulty(answer.status)
            return
        }
        switch GoalAnswer.begin(answer, since: nil) {
        case .askForGoals(let user): self = .named(user)
        case .answer(.unauthorized) where answer.isObject: self = .refused
        case .answer(.noUser) where answer.isObject: self = .unnamed
        case .answer(.unclear(let why)): self = .unclear(why)
        case .answer: self = .unclear("something else answers with status \(answer.status)")
        }
    }
}

extension UpstreamAnswer {
    /// Whether the answer is a JSON object, as all answers of Beeminder's API about a user are.
    fileprivate var isObject: Bool {
        JSONTree(body)?.members != nil
    }

    /// The answer for a text that cannot be a token, which is never sent.
    static let implausibleToken = UpstreamAnswer(
        status: 401, body: Array(#"{"errors":{"auth_token":"bad_token"}}"#.utf8))
}

extension BeeminderClient {
    /// How long the user waits for the result, in seconds.
    static let identityPatience = 6.0

    /// Asks Beeminder for a token's user, without using the token otherwise, within
    /// `identityPatience`.
    nonisolated(nonsending) func identify(_ account: Account) async -> Identity {
        await withCheckedContinuation { continuation in
            RequestThread.run { continuation.resume(returning: self.identity(of: account)) }
        }
    }

    /// The same, blocking, for commands.
    package func identity(of account: Account) -> Identity {
        let patience = BeeminderClient.identityPatience
        do throws(TransportFailure) {
            let call = APIRequest(path: "users/me", seconds: patience)
            return Identity(try perform(call, as: account))
        } catch {
            let isTimeout = error == .network(NetworkError.timedOut)
            return .unclear(
                isTimeout ? "no answer within \(Int(patience)) seconds" : error.words)
        }
    }
}
