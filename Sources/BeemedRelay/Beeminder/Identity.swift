import BeemedDomain
import Foundation
import Synchronization

/// Whose a token is, as Beeminder says.
enum Identity: Sendable, Equatable {
    case named(UpstreamUser)
    /// It is taken by a stand-in for Beeminder that names nobody.
    case unnamed
    /// Beeminder does not take it.
    case refused
    /// Beeminder has not said, and why.
    case unclear(String)

    /// Reads the answer to `users/me.json`. Only Beeminder's own words refuse a token: a page, or a
    /// proxy's bare status, may be anybody's on the way.
    init(_ answer: UpstreamAnswer) {
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
    /// Whether it is a JSON object, which all answers of Beeminder's API about a user are.
    fileprivate var isObject: Bool {
        (try? JSONSerialization.jsonObject(with: Data(body))) is [String: Any]
    }

    /// What is said of a token that can be none: it need not be sent to hear that.
    static let implausibleToken = UpstreamAnswer(
        status: 401, body: Array(#"{"errors":{"auth_token":"bad_token"}}"#.utf8))
}

extension BeeminderClient {
    /// How long a person waits to hear whose the token is, in seconds.
    static let identityPatience = 6.0

    /// Asks whose a token is, without using it for anything else. Reports once, on any thread,
    /// within `identityPatience`.
    func identify(_ account: Account, report: @escaping @Sendable (Identity) -> Void) {
        let isOpen = Mutex(true)
        let reportOnce: @Sendable (Identity) -> Void = { identity in
            let isFirst = isOpen.withLock { open in
                defer { open = false }
                return open
            }
            if isFirst { report(identity) }
        }
        let patience = BeeminderClient.identityPatience
        DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + patience) {
            reportOnce(.unclear("no answer within \(Int(patience)) seconds"))
        }
        run(as: account) { operation in
            switch await operation.perform(Call(path: "users/me")) {
            case .failure(let failure): reportOnce(.unclear(failure.words))
            case .success(let answer): reportOnce(Identity(answer))
            }
        }
    }

    /// The same for a command, which has nothing else to do meanwhile.
    func identity(of account: Account) -> Identity {
        let answer = Mutex<Identity?>(nil)
        let done = DispatchSemaphore(value: 0)
        identify(account) { identity in
            answer.withLock { $0 = identity }
            done.signal()
        }
        done.wait()
        return answer.withLock { $0 } ?? .unclear("no answer")
    }
}
