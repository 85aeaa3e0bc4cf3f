import Foundation
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// The way to Beeminder, over real connections to a server that answers as each test says.
struct BeeminderClientTests {
    typealias BatchResult = BeemedDomain.BatchResult
    typealias Call = ScriptedBeeminder.Call
    typealias Reply = ScriptedBeeminder.Reply

    static let at = UnixTime(1_759_990_000)

    static func goal(_ slug: String = "water") throws -> GoalSlug {
        try require(GoalSlug(slug))
    }

    static func batch(_ count: Int) throws -> DatapointBatch {
        let goal = try goal()
        return DatapointBatch(
            goal,
            (1...count).map { number in
                OutgoingDatapoint(
                    number: SequenceNumber(UInt64(number)), goal: goal, requestID: "b.\(number)",
                    value: 1,
                    comment: "", at: at)
            })
    }

    static func send(_ client: BeeminderClient, _ count: Int) async throws -> BatchResult {
        await send(client, try batch(count).datapoints)
    }

    static func send(
        _ client: BeeminderClient, _ datapoints: [OutgoingDatapoint]
    ) async -> BatchResult {
        let batch = DatapointBatch(datapoints[0].goal, datapoints)
        return await withCheckedContinuation { done in
            client.send(batch) { done.resume(returning: $0) }
        }
    }

    static func erase(
        _ client: BeeminderClient, _ datapoint: String?, goalID: String? = nil,
        mayHaveArrived: Bool = true
    ) async throws -> Outcome {
        await erase(
            client,
            DatapointDeletion(
                number: 7, goal: try goal(), goalID: goalID, requestID: "b.7",
                datapoint: datapoint, at: at, mayHaveArrived: mayHaveArrived))
    }

    static func erase(_ client: BeeminderClient, _ deletion: DatapointDeletion) async -> Outcome {
        await withCheckedContinuation { done in
            client.erase(deletion) { done.resume(returning: $0) }
        }
    }

    static func goals(
        _ client: BeeminderClient, since: Int64? = nil, names: [GoalSlug] = []
    ) async -> GoalAnswer {
        await withCheckedContinuation { done in
            client.fetchGoals(since: since, names: names) { done.resume(returning: $0) }
        }
    }

    static let posts = "POST ~/goals/water/datapoints.json"
    static let batches = "POST ~/goals/water/datapoints/create_all.json"
    static let lists = "GET ~/goals/water/datapoints.json"
    static let missing = #"{"error":"The requested resource was not found."}"#

    @Test func `posts one by itself, with the personal token in the body`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in
            .says(200, #"{"id":"d1","requestid":"b.1","status":"created"}"#)
        }
        let result = try await Self.send(try beeminder.client(), 1)
        expect(result, is: .whole(.delivered(.created, datapoint: "d1")))
        expect(
            beeminder.asked,
            is: [
                Call(
                    method: "POST", path: "~/goals/water/datapoints.json", query: "",
                    body: "value=1&timestamp=1759990000&comment=&requestid=b.1&auth_token=s3cret")
            ])
    }

    @Test func `sends an access token as Bearer and nowhere else`() async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            call.method == "GET" ? .says(200, #"{"username":"alice"}"#) : .says(404, "{}")
        }
        let client = try beeminder.client(.accessToken("0auth"))
        _ = try await Self.send(client, 1)
        _ = try await Self.erase(client, "d1")
        _ = await Self.goals(client)
        expect(beeminder.asked.count >= 4)
        for call in beeminder.asked {
            expect(call.authorization, is: "Bearer 0auth")
            expect(!call.body.contains("0auth") && !call.query.contains("0auth"))
        }
    }

    @Test func `posts several with one call`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in
            .says(
                200,
                #"[{"id":"d1","requestid":"b.1","status":"created"},"#
                    + #"{"id":"d2","requestid":"b.2","status":"updated"}]"#)
        }
        let result = try await Self.send(try beeminder.client(), 2)
        expect(
            result,
            is: .each([
                1: .delivered(.created, datapoint: "d1"),
                2: .delivered(.updated, datapoint: "d2"),
            ]))
        expect(beeminder.asked.map(\.line), is: [Self.batches])
        expect(beeminder.asked[0].body.hasPrefix("datapoints=%5B%7B%22value%22%3A1%2C"))
        expect(beeminder.asked[0].body.hasSuffix("&auth_token=s3cret"))
    }

    struct Doubt: Sendable, CustomTestStringConvertible {
        var status: Int
        var words: String
        var list: Reply
        var outcome: Outcome
        var testDescription: String { "\(status) \(words), \(list): \(outcome)" }
    }

    private static let taken = #"{"errors":{"requestid":["has already been taken"]}}"#
    private static let there = Reply.says(200, #"[{"id":"d9","requestid":"b.1"}]"#)

    static let doubts: [Doubt] = [
        Doubt(
            status: 422, words: taken, list: there,
            outcome: .delivered(.duplicate, datapoint: "d9")),
        Doubt(
            status: 409, words: "conflict", list: there,
            outcome: .delivered(.duplicate, datapoint: "d9")),
        Doubt(
            status: 422, words: taken, list: .says(200, "[]"),
            outcome: .refused(status: 422, why: "requestid: has already been taken")),
        Doubt(
            status: 409, words: "conflict", list: .says(404, missing),
            outcome: .unclear("status 409, not in Beeminder's words: conflict")),
        Doubt(
            status: 422, words: taken, list: .says(503, "<html>"),
            outcome: .unclear("status 503")),
        Doubt(
            status: 422, words: taken, list: .says(429, "Retry later\n", retryAfter: "9"),
            outcome: .busy(retryAfter: 9)),
        Doubt(status: 422, words: taken, list: .says(401, "{}"), outcome: .unauthorized),
        Doubt(
            status: 422, words: taken, list: .says(200, "<html>"),
            outcome: .unclear("a list of datapoints that cannot be read")),
    ]

    @Test(arguments: doubts)
    func `looks before it believes a conflict`(_ doubt: Doubt) async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            call.method == "GET" ? doubt.list : .says(doubt.status, doubt.words)
        }
        let result = try await Self.send(try beeminder.client(), 1)
        expect(result, is: .whole(doubt.outcome))
        expect(beeminder.asked.map(\.line), is: [Self.posts, Self.lists])
    }

    private static let restarted = #"{"errors":"Goal must be restarted"}"#
    private static let tooOld = #"{"errors":{"timestamp":["is too old"]}}"#

    /// The refusal of a change or a repetition, the value at Beeminder, the record up to which the
    /// sent value shows every change, and whether that value is believed to be there.
    @Test(
        arguments: [
            (restarted, "2.5", 7, true), (restarted, "1", 7, false), (restarted, "1", nil, true),
            (tooOld, "2.5", nil, true), (tooOld, nil, nil, false),
        ] as [(String, String?, SequenceNumber?, Bool)])
    func `looks before it believes the refusal of what may be there`(
        _ words: String, _ value: String?, _ through: SequenceNumber?, _ isThere: Bool
    ) async throws {
        let list = value.map { #"{"id":"d7","requestid":"b.7","value":\#($0)}"# } ?? ""
        let beeminder = try ScriptedBeeminder { call, _ in
            call.method == "GET" ? .says(200, "[\(list)]") : .says(422, words)
        }
        let isChange = words == Self.restarted
        let outgoing = OutgoingDatapoint(
            number: 7, goal: try Self.goal(), requestID: "b.7", value: 2.5, comment: "",
            at: Self.at,
            through: through, hasArrived: isChange, mayBeThere: !isChange)
        let result = await Self.send(try beeminder.client(), [outgoing])
        let why = isChange ? "Goal must be restarted" : "timestamp: is too old"
        let refused = Outcome.refused(status: 422, why: why)
        expect(result, is: .whole(isThere ? .delivered(.duplicate, datapoint: "d7") : refused))
    }

    /// A request without an answer was applied, a press was undone, and that change is refused.
    @Test func `does not call refused what is there with an earlier value`() async throws {
        let words = #"{"errors":{"value":["is too large"]}}"#
        let beeminder = try ScriptedBeeminder { call, _ in
            call.method == "GET"
                ? .says(200, #"[{"id":"d7","requestid":"b.7","value":1}]"#) : .says(422, words)
        }
        let outgoing = OutgoingDatapoint(
            number: 7, goal: try Self.goal(), requestID: "b.7", value: 2, comment: "", at: Self.at,
            through: 9,
            mayBeThere: true)
        let result = await Self.send(try beeminder.client(), [outgoing])
        guard case .whole(.unchangeable(let why)) = result else { throw Unexpected(result) }
        expect(why.contains("is too large"))
    }

    @Test(arguments: [
        (422, #"{"errors":"Duplicate request"}"#), (422, #"{"errors":{"value":["is blank"]}}"#),
        (400, "bad"), (413, ""),
    ])
    func `does not look when the words are clear`(_ status: Int, _ words: String) async throws {
        let beeminder = try ScriptedBeeminder { _, _ in .says(status, words) }
        _ = try await Self.send(try beeminder.client(), 1)
        expect(beeminder.asked.map(\.line), is: [Self.posts])
    }

    @Test func `takes a part of an answer for none`() async throws {
        for reply in [Reply.hangsUp, .breaksOff(after: 9, of: #"{"id":"d1","requestid":"b.1"}"#)] {
            let beeminder = try ScriptedBeeminder { _, _ in reply }
            guard case .whole(.unreachable) = try await Self.send(try beeminder.client(), 1)
            else { throw Unexpected(reply) }
        }
    }

    @Test func `follows no redirect`() async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            call.method == "POST"
                ? .redirects(to: "/api/v1/users/me/goals/water/datapoints.json")
                : .says(200, #"[{"id":"d1","requestid":"b.1"}]"#)
        }
        let result = try await Self.send(try beeminder.client(), 1)
        expect(result, is: .whole(.misdirected("a redirect, status 302")))
        expect(beeminder.asked.map(\.line), is: [Self.posts])
    }

    @Test(arguments: [("4.0", 0), ("2.5", 1), ("2", 1), ("\"9\"", 1)])
    func `leaves a merged datapoint that shows more than this journal knows`(
        _ value: String, _ posts: Int
    ) async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            let datapoint = #"{"id":"d7","requestid":"b.7","value":\#(value)}"#
            return .says(200, call.method == "GET" ? "[\(datapoint)]" : datapoint)
        }
        let outgoing = OutgoingDatapoint(
            number: 7, goal: try Self.goal(), requestID: "b.7", value: 2.5, comment: "",
            at: Self.at,
            greatest: 2.5)
        let result = await Self.send(try beeminder.client(), [outgoing])
        guard case .whole(.delivered(_, "d7")) = result else { throw Unexpected(result) }
        expect(beeminder.asked.count { $0.line == Self.posts }, is: posts)
    }

    @Test func `cuts off an answer that nobody would send`() async throws {
        let endless = String(repeating: " ", count: 5 << 20)
        let beeminder = try ScriptedBeeminder { _, _ in .says(200, endless) }
        let client = try beeminder.client()
        try await expect(
            Self.send(client, 1),
            is: .whole(.unclear("an answer of more than 1048576 bytes")))
        guard case .unclear("an answer of more than 1048576 bytes") = await Self.goals(client)
        else { throw Unexpected("the user") }
    }

    @Test func `reads a list of goals of four million bytes, and no longer one`() async throws {
        for (length, isRead) in [((4 << 20) - 100, true), (4 << 20, false)] {
            let title = String(repeating: "x", count: length)
            let beeminder = try ScriptedBeeminder { call, _ in
                .says(
                    200,
                    call.path == "~.json"
                        ? #"{"username":"alice"}"# : #"[{"slug":"a","title":"\#(title)"}]"#)
            }
            switch await Self.goals(try beeminder.client()) {
            case .goals: expect(isRead)
            case .userOnly: expect(!isRead)
            case let other: Issue.record("\(other)")
            }
        }
    }

    @Test("the listener for times can be called for years, on a small stack")
    func listenerStack() async throws {
        let client = try BeeminderClient(
            base: "http://127.0.0.1:1", account: nil, wallClock: { Self.at })
        let depth = await withCheckedContinuation { (done: CheckedContinuation<Int, Never>) in
            let count = Mutex(0)
            client.onTime { _ in count.withLock { $0 += 1 } }
            _ = SystemThread.startIfPossible("calls", stackBytes: 128 << 10) {
                let time = UpstreamTime(Self.at, at: Monotonic(milliseconds: 0))
                for _ in 0..<50_000 { client.report(time) }
                done.resume(returning: count.withLock { $0 })
            }
        }
        expect(depth, is: 50_000)
    }
}

extension SequenceNumber: ExpressibleByIntegerLiteral {
    /// A number as it stands in a test.
    public init(integerLiteral value: UInt64) {
        self.init(value)
    }
}
