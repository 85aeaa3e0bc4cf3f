import Foundation
import Synchronization
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

/// Deleting, and asking for the goals.
struct DeletionRequestTests {
    private static let deletes = "DELETE ~/goals/water/datapoints/d7.json"
    private static let lists = BeeminderClientTests.lists

    @Test func `deletes by Beeminder's name, with the token in the body`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in .says(200, #"{"id":"d7"}"#) }
        try await expect(BeeminderClientTests.erase(try beeminder.client(), "d7"), is: .erased)
        expect(beeminder.asked.map(\.line), is: [Self.deletes])
        expect(beeminder.asked[0].query, is: "")
        expect(beeminder.asked[0].body, is: "auth_token=s3cret")
    }

    @Test(arguments: [nil, "", "../../users", "d7?x=1"])
    func `looks by the request id without a usable name`(_ name: String?) async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            .says(
                200, call.method == "GET" ? #"[{"id":"d7","requestid":"b.7"}]"# : #"{"id":"d7"}"#)
        }
        try await expect(BeeminderClientTests.erase(try beeminder.client(), name), is: .erased)
        expect(beeminder.asked.map(\.line), is: [Self.lists, Self.deletes])
    }

    @Test func `does not take what it cannot name for deleted`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in
            .says(200, #"[{"id":"../../users","requestid":"b.7"}]"#)
        }
        let outcome = try await BeeminderClientTests.erase(try beeminder.client(), nil)
        expect(outcome, is: .unclear("its id is none of Beeminder's"))
        expect(beeminder.asked.map(\.line), is: [Self.lists])
    }

    @Test func `takes what is not there for deleted`() async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            call.method == "GET" ? .says(200, "[]") : .says(404, BeeminderClientTests.missing)
        }
        let client = try beeminder.client()
        try await expect(BeeminderClientTests.erase(client, nil), is: .erased)
        try await expect(BeeminderClientTests.erase(client, "d7"), is: .erased)
        expect(beeminder.asked.map(\.line), is: [Self.lists, Self.deletes, Self.lists])
    }

    /// Bodies of a success that shows nothing.
    static let vague = [
        "", "true", "{}", #"{"ok":true}"#, #"{"id":"d8"}"#, "<html>", "\u{FEFF}<html>", "[]",
    ]

    @Test(arguments: vague)
    func `looks when a success does not show the datapoint`(_ body: String) async throws {
        for isThere in [true, false] {
            let beeminder = try ScriptedBeeminder { call, _ in
                guard call.method == "GET" else { return .says(200, body) }
                return .says(200, isThere ? #"[{"id":"d7","requestid":"b.7"}]"# : "[]")
            }
            let outcome = try await BeeminderClientTests.erase(try beeminder.client(), "d7")
            let expected = Outcome.unclear("status 200, and it is still there")
            expect(outcome, is: (isThere ? expected : .erased))
            expect(beeminder.asked.map(\.line), is: [Self.deletes, Self.lists])
        }
    }

    @Test func `does not believe a success when it cannot look either`() async throws {
        for list in ["<html>", "{}", ""] {
            let beeminder = try ScriptedBeeminder { call, _ in
                call.method == "GET" ? .says(200, list) : .says(200, "{}")
            }
            let outcome = try await BeeminderClientTests.erase(try beeminder.client(), "d7")
            expect(outcome, is: .unclear("a list of datapoints that cannot be read"))
        }
    }

    @Test(arguments: ["<html>", "404 page not found\n", #"{"message":"no Route matched"}"#])
    func `does not believe the 404 of a proxy`(_ body: String) async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            call.method == "GET"
                ? .says(200, #"[{"id":"d7","requestid":"b.7"}]"#) : .says(404, body)
        }
        let client = try beeminder.client()
        let expected = Outcome.unclear("status 404, and it is still there")
        try await expect(BeeminderClientTests.erase(client, "d7"), is: expected)
    }

    @Test(arguments: [(nil, "g7"), ("d7", "g7"), (nil, "g8"), ("d7", "g8")] as [(String?, String)])
    func `a goal that has got another one's name does not show that nothing is left`(
        _ datapoint: String?, _ id: String
    ) async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            if call.method == "DELETE" { return .says(404, BeeminderClientTests.missing) }
            if call.path.hasSuffix("/archived.json") { return .says(200, "[]") }
            return .says(
                200, call.path.hasSuffix("/datapoints.json") ? "[]" : #"{"id":"\#(id)"}"#)
        }
        let outcome = try await BeeminderClientTests.erase(
            try beeminder.client(), datapoint, goalID: "g7")
        expect(outcome, is: (id == "g7" ? .erased : .noSuchGoal))
    }

    /// An undo waits at an archived goal, and a new goal has the very name of that one.
    @Test(arguments: [true, false])
    func `a new goal of the same name does not stand for the archived one`(
        _ isArchived: Bool
    ) async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            if call.path.hasSuffix("/goals/archived.json") {
                return .says(
                    200, isArchived ? #"[{"slug":"old","id":"g7"}]"# : #"[{"slug":"water"}]"#)
            }
            return .says(404, BeeminderClientTests.missing)
        }
        let water = try BeeminderClientTests.goal()
        let deletion = DatapointDeletion(
            number: 7, goal: water, goalID: "g7", requestID: "b.7", datapoint: "d7",
            at: BeeminderClientTests.at, mayHaveArrived: true, isNameTaken: true)
        let outcome = await BeeminderClientTests.erase(try beeminder.client(), deletion)
        // An archived goal may have the datapoint from an earlier request: the deletion waits.
        expect(outcome, is: (isArchived ? .archivedGoal : .erased))
        expect(beeminder.asked.count, is: 1, "the new goal is not asked")
    }

    @Test func `deletes what the request id has by another name`() async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            if call.method == "GET" { return .says(200, #"[{"id":"d9","requestid":"b.7"}]"#) }
            return call.path.contains("d9")
                ? .says(200, #"{"id":"d9"}"#) : .says(404, BeeminderClientTests.missing)
        }
        try await expect(BeeminderClientTests.erase(try beeminder.client(), "d7"), is: .erased)
        expect(
            beeminder.asked.map(\.line),
            is: [
                Self.deletes, Self.lists, "DELETE ~/goals/water/datapoints/d9.json",
            ])
    }

    @Test func `does not take it for deleted when the goal has another name now`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in .says(404, BeeminderClientTests.missing) }
        let client = try beeminder.client()
        try await expect(BeeminderClientTests.erase(client, "d7"), is: .noSuchGoal)
        try await expect(BeeminderClientTests.erase(client, nil), is: .noSuchGoal)
    }

    /// The list of archived goals, and the outcome of a deletion at a goal that answers 404.
    static let archives: [(String, Outcome)] = [
        (#"[{"slug":"water","id":"g1"}]"#, archived), (#"[{"slug":"h2o","id":"g7"}]"#, archived),
        (#"[{"slug":"tea","id":"g1"}]"#, .noSuchGoal), ("[]", .noSuchGoal),
        ("<html>", .unclear("a list of archived goals that cannot be read")),
        ("{}", .unclear("a list of archived goals that cannot be read")),
    ]

    private static let archived = Outcome.archivedGoal

    @Test(arguments: archives)
    func `a goal that is only archived still has its datapoints`(
        _ list: String, _ outcome: Outcome
    ) async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            call.path.hasSuffix("/goals/archived.json")
                ? .says(200, list) : .says(404, BeeminderClientTests.missing)
        }
        let client = try beeminder.client()
        for datapoint in ["d7", nil] {
            let got = try await BeeminderClientTests.erase(client, datapoint, goalID: "g7")
            expect(got, is: outcome)
        }
        let other = try await BeeminderClientTests.erase(client, nil, mayHaveArrived: false)
        expect(other, is: .noSuchGoal, "a press that the goal has never taken does not wait for it")
    }

    @Test func `does not take it for deleted when the pages have no end`() async throws {
        let beeminder = try ScriptedBeeminder { _, count in
            let points = (0..<50).map { #"{"id":"x\#(count)-\#($0)","requestid":null}"# }
            return .says(200, "[\(points.joined(separator: ","))]")
        }
        let outcome = try await BeeminderClientTests.erase(try beeminder.client(), nil)
        expect(outcome, is: .unchangeable("not among the newest datapoints"))
        expect(beeminder.asked.count, is: DatapointSearch.maxPages)
        expect(beeminder.asked[0].query, is: "sort=id&count=50&auth_token=s3cret")
        expect(beeminder.asked[1].query, is: "sort=id&page=2&per=50&auth_token=s3cret")
    }

    @Test(arguments: [
        (500, Outcome.unclear("status 500")), (401, .unauthorized),
        (429, .busy(retryAfter: nil)), (302, .misdirected("a redirect, status 302")),
    ])
    func `says what came instead`(_ status: Int, _ outcome: Outcome) async throws {
        let beeminder = try ScriptedBeeminder { _, _ in .says(status, "{}") }
        let client = try beeminder.client()
        try await expect(BeeminderClientTests.erase(client, "d7"), is: outcome)
        try await expect(BeeminderClientTests.erase(client, nil), is: outcome)
    }

    @Test func `asks for the goals only when something has changed`() async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            .says(
                200,
                call.path == "~.json"
                    ? #"{"username":"alice","updated_at":5}"# : #"[{"slug":"water"}]"#)
        }
        let client = try beeminder.client(.personalToken("a+b/c"))
        guard
            case .goals(let goals, let user, _) = await BeeminderClientTests.goals(
                client, since: 4),
            case .unchanged = await BeeminderClientTests.goals(client, since: 5)
        else { throw Unexpected("neither") }
        expect(goals.map(\.slug), is: ["water"])
        expect(user, is: UpstreamUser(name: "alice", updatedAt: 5))
        expect(beeminder.asked.map(\.line), is: ["GET ~.json", "GET ~/goals.json", "GET ~.json"])
        expect(
            beeminder.asked.map(\.query),
            is: [
                "auth_token=a%2Bb%2Fc", "emaciated=true&auth_token=a%2Bb%2Fc",
                "auth_token=a%2Bb%2Fc",
            ])
    }

    @Test func `asks by name for goals that the list leaves out`() async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            switch call.path {
            case "~.json": .says(200, #"{"username":"alice"}"#)
            case "~/goals.json": .says(200, #"[{"slug":"water"}]"#)
            case "~/goals/left.json": .says(200, #"{"slug":"left","aggday":"last"}"#)
            case "~/goals/old.json": .says(200, #"{"slug":"old"}"#)
            case "~/goals/archived.json": .says(200, #"[{"slug":"old"}]"#)
            case "~/goals/other.json": .says(200, #"{"slug":"renamed"}"#)
            case "~/goals/down.json": .hangsUp
            case "~/goals/page.json": .says(404, "<html>")
            default: .says(404, BeeminderClientTests.missing)
            }
        }
        let names = ["water", "left", "old", "none", "other", "down", "page"]
        let answer = await BeeminderClientTests.goals(
            try beeminder.client(), names: names.compactMap(GoalSlug.init))
        guard case .goals(let list, _, let named) = answer else { throw Unexpected(answer) }
        expect(list.map(\.slug) == ["water"] && named.found.map(\.slug) == ["left"])
        expect(named.unclear.map(\.description).sorted(), is: ["down", "other", "page"])
        expect(!beeminder.asked.map(\.line).contains("GET ~/goals/water.json"))
    }

    @Test func `knows the user when only the goals fail`() async throws {
        let beeminder = try ScriptedBeeminder { call, _ in
            call.path == "~.json" ? .says(200, #"{"username":"alice"}"#) : .hangsUp
        }
        guard
            case .userOnly(let user, _) = await BeeminderClientTests.goals(
                try beeminder.client())
        else { throw Unexpected("not even the user") }
        expect(user.name, is: "alice")
    }

    @Test func `speaks of no token, and says nothing without one`() async throws {
        let beeminder = try ScriptedBeeminder { _, _ in .hangsUp }
        let client = try beeminder.client(.personalToken("s3cret"))
        let spoken = "\(try await BeeminderClientTests.send(client, 1))"
        expect(!spoken.contains("s3cret") && !spoken.contains("http"))
        client.use(nil)
        let before = beeminder.asked.count
        guard case .whole(.unclear) = try await BeeminderClientTests.send(client, 1)
        else { throw Unexpected("sent without an account") }
        expect(beeminder.asked.count, is: before)
    }
}
