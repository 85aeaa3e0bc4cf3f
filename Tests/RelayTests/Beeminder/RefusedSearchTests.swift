import Foundation
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// A search among datapoints that Beeminder, or a server before it, refuses: that is about the
/// search, and says nothing of any press.
struct RefusedSearchTests {
    private static let why = #"{"errors":"count is too large"}"#
    private static let answers = [
        (400, why), (422, why), (422, #"{"errors":"Duplicate request"}"#), (409, "duplicate"),
    ]

    /// A server that answers each search like that, and everything else as `reply` says.
    private func beeminder(
        _ answer: (Int, String),
        _ reply: @escaping @Sendable (ScriptedBeeminder.Call) -> (Int, String)
    ) throws -> ScriptedBeeminder {
        try ScriptedBeeminder { call, _ in
            let said = call.method == "GET" ? answer : reply(call)
            return .says(said.0, said.1)
        }
    }

    private func expectUnclear(
        _ result: BeemedDomain.BatchResult, file: String = #filePath, line: Int = #line
    ) throws {
        guard case .whole(.unclear(let why)) = result else { throw Unexpected(result) }
        expect(why.hasPrefix("the search: "), "\(why)", file: file, line: line)
    }

    private func send(
        _ client: BeeminderClient, greatest: Double? = nil, mayBeThere: Bool = false
    ) async throws -> BeemedDomain.BatchResult {
        let goal = try BeeminderClientTests.goal()
        let outgoing = OutgoingDatapoint(
            number: 1, goal: goal, requestID: "b.1", value: 2, comment: "",
            at: BeeminderClientTests.at,
            greatest: greatest, mayBeThere: mayBeThere)
        return await BeeminderClientTests.send(client, [outgoing])
    }

    @Test(arguments: answers) func `leaves a press in the queue that may be there`(
        _ answer: (Int, String)
    ) async throws {
        let taken = #"{"errors":{"requestid":["has already been taken"]}}"#
        for mayBeThere in [false, true] {
            let beeminder = try beeminder(answer) { _ in (422, taken) }
            try expectUnclear(try await send(try beeminder.client(), mayBeThere: mayBeThere))
        }
    }

    @Test(arguments: answers) func `does not send a datapoint that must not be lowered`(
        _ answer: (Int, String)
    ) async throws {
        let beeminder = try beeminder(answer) { _ in (200, #"{"id":"d1","requestid":"b.1"}"#) }
        try expectUnclear(try await send(try beeminder.client(), greatest: 2))
        expect(beeminder.asked.map(\.method), is: ["GET"])
    }

    @Test(arguments: answers) func `leaves a deletion open`(_ answer: (Int, String)) async throws {
        for datapoint in [nil, "d7"] {
            let beeminder = try beeminder(answer) { _ in (404, BeeminderClientTests.missing) }
            let client = try beeminder.client()
            try expectUnclear(.whole(try await BeeminderClientTests.erase(client, datapoint)))
        }
    }

    @Test func `takes no answer to a deletion for a delivery`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in
            .says(422, #"{"errors":"Duplicate request"}"#)
        }
        let outcome = try await BeeminderClientTests.erase(try beeminder.client(), "d7")
        expect(outcome, is: .unclear("status 422: Duplicate request"))
    }

    /// A press that was refused while an earlier request could still be applied.
    @Test func `finds what an earlier request has brought, and sends nothing`() async throws {
        let refusal = Outcome.refused(status: 422, why: "no")
        let outgoing = OutgoingDatapoint(
            number: 1, goal: try BeeminderClientTests.goal(), requestID: "b.1", value: 2,
            comment: "", at: BeeminderClientTests.at, mayBeThere: true, refusal: refusal)
        let there = #"[{"id":"d1","requestid":"b.1","value":2}]"#
        for (list, outcome) in [("[]", refusal), (there, .delivered(.duplicate, datapoint: "d1"))] {
            let beeminder = try ScriptedBeeminder { _, _ in .says(200, list) }
            let result = await BeeminderClientTests.send(try beeminder.client(), [outgoing])
            expect(result, is: .whole(outcome))
            expect(Set(beeminder.asked.map(\.method)), is: ["GET"])
        }
    }
}
