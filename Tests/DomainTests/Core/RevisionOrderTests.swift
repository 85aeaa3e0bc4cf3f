import Testing

@testable import BeemedDomain

/// The order of the revisions of several days of a goal: what rises goes before what falls, so
/// that their sum does not dip on the way.
struct RevisionOrderTests {
    private static let created = Outcome.delivered(.created, datapoint: "d")
    private static let updated = Outcome.delivered(.updated, datapoint: "d")

    private static func total(
        _ back: Int64, _ value: Double, goal: String = "pushups"
    ) -> DayTotal {
        let rule = goal == "pushups" ? "walk" : goal
        return .make(value, rule: rule, goal: goal, day: CoreBench.today.adding(days: -back))
    }

    /// A bench where these values of the last days, today's last, are delivered.
    private func delivered(_ values: [Double]) throws -> CoreBench {
        var bench = try CoreBench()
        try bench.commit { $0.learn([Goal(slug: .known("pushups")), Goal(slug: .known("water"))]) }
        for (index, value) in values.enumerated() {
            bench.total(RevisionOrderTests.total(Int64(values.count - 1 - index), value))
        }
        try bench.commit()
        try settle(&bench)
        bench.sent = []
        return bench
    }

    /// Answers every request, and lets the time pass that revisions rest.
    private func settle(_ bench: inout CoreBench, seconds: Int64 = 200) throws {
        var answered = 0
        for _ in 0..<(seconds / 5) {
            while answered < bench.sent.count {
                let outgoing = bench.sent[answered]
                answered += 1
                bench.deliver(
                    outgoing.number,
                    outgoing.hasArrived ? RevisionOrderTests.updated : RevisionOrderTests.created)
                try bench.commit()
            }
            try bench.commit { $0.pass(seconds: 5) }
        }
    }

    /// The values of days before, their new values, and the values in the order of requests.
    static let rows: [([Double], [Double], [Double])] = [
        ([5_000, 3_000], [4_500, 3_500], [3_500, 4_500]),
        ([3_000, 5_000], [3_500, 4_500], [3_500, 4_500]),
        ([5_000, 4_000, 3_000], [4_900, 3_900, 3_200], [3_200, 4_900, 3_900]),
        ([5_000, 4_000], [4_900, 3_900], [4_900, 3_900]),
        ([5_000, 4_000], [4_900, 4_000], [4_900]),
        ([5_000], [4_500, 500], [500, 4_500]),
    ]

    @Test(arguments: rows.indices) func `what falls waits for what rises`(_ index: Int) throws {
        let (before, after, order) = RevisionOrderTests.rows[index]
        var bench = try delivered(before)
        for (place, value) in after.enumerated() {
            let back = Int64(before.count - 1 - place)
            bench.total(RevisionOrderTests.total(back, value))
        }
        try bench.commit()
        try settle(&bench)
        expect(bench.sent.map(\.value), is: order)
        expect(bench.core.view.pendingEvents, is: 0)
    }

    @Test func `what falls waits for a day that rests, and goes on when that is refused`() throws {
        var bench = try delivered([5_000, 3_000])
        try bench.commit { $0.total(RevisionOrderTests.total(0, 3_100)) }
        try bench.commit { $0.deliver($0.sent[0].number, RevisionOrderTests.updated) }
        bench.total(RevisionOrderTests.total(1, 4_500))
        try bench.commit { $0.total(RevisionOrderTests.total(0, 3_500)) }
        bench.pass(seconds: 30)
        expect(bench.sent.map(\.value), is: [3_100], "today's datapoint rests for a minute")
        bench.pass(seconds: 31)
        expect(bench.sent.map(\.value), is: [3_100, 3_500])
        try bench.commit { $0.deliver($0.sent[1].number, .refused(status: 422, why: "no")) }
        bench.pass(seconds: 1)
        expect(bench.sent.map(\.value), is: [3_100, 3_500, 4_500])
    }

    @Test func `other goals and presses do not wait`() throws {
        var bench = try delivered([5_000, 3_000])
        bench.total(RevisionOrderTests.total(0, 7, goal: "water"))
        bench.total(RevisionOrderTests.total(1, 4_500))
        try bench.commit { $0.press(.make("1")) }
        try settle(&bench)
        expect(Set(bench.sent.map(\.value)), is: [7, 4_500, 1])
    }

    @Test func `what falls waits for what rises also after a restart`() throws {
        var bench = try delivered([5_000, 3_000])
        bench.apply(.disconnected)
        bench.connect(.named("alice"))
        try bench.commit { $0.total(RevisionOrderTests.total(0, 3_500)) }
        try bench.commit { $0.total(RevisionOrderTests.total(1, 4_500)) }
        try bench.restart()
        try bench.commit { $0.learn() }
        try settle(&bench)
        expect(bench.sent.first?.value, is: 3_500)
        expect(Set(bench.sent.map(\.value)), is: [3_500, 4_500])
    }

    @Test func `a total says whether it is lower than what is known`() throws {
        var bench = try delivered([100])
        expect(bench.core.totals.isLower(RevisionOrderTests.total(0, 90)))
        expect(!bench.core.totals.isLower(RevisionOrderTests.total(0, 100)))
        expect(!bench.core.totals.isLower(RevisionOrderTests.total(1, 1)))
        bench.total(RevisionOrderTests.total(0, 80))
        expect(
            !bench.core.totals.isLower(RevisionOrderTests.total(0, 90)), "also before it is durable"
        )
    }
}
