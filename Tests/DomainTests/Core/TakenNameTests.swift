import Foundation
import Testing

@testable import BeemedDomain

/// A goal that was renamed, and another one that has its name now.
@Suite struct TakenNameTests {
    private static let created = Outcome.delivered(.created, datapoint: "d1")

    private func goal(_ slug: String, id: String) -> Goal {
        var goal = Goal(slug: .known(slug))
        goal.id = id
        return goal
    }

    private func before() throws -> CoreBench {
        var bench = try CoreBench(connection: "a")
        bench.learn([goal("water", id: "X")])
        try bench.commit()
        return bench
    }

    private func rename(_ bench: inout CoreBench) {
        bench.learn([goal("water2", id: "X")])
    }

    private func reuse(_ bench: inout CoreBench) {
        bench.learn([goal("water2", id: "X"), goal("water", id: "Y")])
    }

    @Test func `a press under way is not sent to another user's goal of its new name`() throws {
        var bench = try before()
        bench.press(.make("1", goal: "water"))
        try bench.commit()
        bench.deliver(bench.number("1"), .busy(retryAfter: 1))
        rename(&bench)
        bench.pass(seconds: 2)
        #expect(bench.sent.map(\.goal.description) == ["water", "water2"])
        // It is under way when another account is connected, which has a goal of that name.
        bench.connect("b", user: "bob")
        bench.learn([goal("water2", id: "B")], user: "bob")
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("reset"))
        bench.pass(seconds: 100)
        try bench.commit()
        bench.pass(seconds: 100)
        #expect(bench.sent.count == 2, "it would be sent with the other token")
        #expect(bench.state("1") == .held && bench.core.parkedEvents == 1)
        bench.connect("a2")
        rename(&bench)
        try bench.commit()
        bench.pass(seconds: 100)
        #expect(bench.sent.map(\.goal.description) == ["water", "water2", "water2"])
    }
}
