import BeemedDomain
import Foundation
import Synchronization
import Testing

@testable import RelayTrunk

/// The account is changed while calls are under way: what was begun for one user is never gone on
/// with by another one's token.
struct AccountChangeTests {
    typealias Reply = ScriptedBeeminder.Reply

    /// Work that needs more than one call, and the reply to the first call.
    struct Work: Sendable, CustomTestStringConvertible {
        var name: String
        var first: Reply
        /// Does the work, and returns the outcome in words.
        var run: @Sendable (BeeminderClient) async throws -> String
        /// The outcome when the account is changed at the first call.
        var result: String
        var testDescription: String { name }
    }

    private static let changed = "not asked: the account was changed meanwhile"

    static let works: [Work] = [
        Work(
            name: "a conflict",
            first: .says(422, #"{"errors":{"requestid":["has already been taken"]}}"#),
            run: { "\(try await BeeminderClientTests.send($0, 1))" },
            result: "\(BeemedDomain.BatchResult.whole(.unclear(changed)))"),
        Work(
            name: "a deletion that has to look first",
            first: .says(200, #"[{"id":"d7","requestid":"b.7"}]"#),
            run: { "\(try await BeeminderClientTests.erase($0, nil))" },
            result: "\(Outcome.unclear(changed))"),
        Work(
            name: "the goals of a user", first: .says(200, #"{"username":"alice"}"#),
            run: { "\(await BeeminderClientTests.goals($0))" },
            result: "\(GoalAnswer.userOnly(UpstreamUser(name: "alice"), why: changed))"),
    ]

    static let others: [Account?] = [
        .personalToken("bobs"), .accessToken("bobs"), nil,
    ]

    @Test(arguments: works, others)
    func `asks nothing by the token of an account that came later`(
        _ work: Work, _ other: Account?
    ) async throws {
        let client = Mutex<BeeminderClient?>(nil)
        let beeminder = try ScriptedBeeminder { _, before in
            if before == 0 { client.withLock { $0?.use(other) } }
            return work.first
        }
        let made = try beeminder.client()
        client.withLock { $0 = made }
        try await expect(work.run(made), is: work.result)
        expect(beeminder.asked.count, is: 1)
        expect(beeminder.asked.allSatisfy { !"\($0)".contains("bobs") })
    }

    @Test func `goes on when the same token is given once more`() async throws {
        let client = Mutex<BeeminderClient?>(nil)
        let beeminder = try ScriptedBeeminder { call, before in
            if before == 0 { client.withLock { $0?.use(.personalToken("s3cret")) } }
            return call.method == "POST"
                ? .says(422, #"{"errors":{"requestid":["has already been taken"]}}"#)
                : .says(200, #"[{"id":"d9","requestid":"b.1"}]"#)
        }
        let made = try beeminder.client()
        client.withLock { $0 = made }
        let result = try await BeeminderClientTests.send(made, 1)
        expect(result, is: .whole(.delivered(.duplicate, datapoint: "d9")))
    }

    @Test func `asks whose a token is while another account is connected`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in .says(200, #"{"username":"bob"}"#) }
        let client = try beeminder.client()
        let identity = await client.identify(.personalToken("bobs"))
        expect(identity, is: .named(UpstreamUser(name: "bob")))
        expect(beeminder.asked.map(\.query), is: ["auth_token=bobs"])
    }
}
