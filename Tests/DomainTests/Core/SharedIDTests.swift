import Testing

@testable import BeemedDomain

/// The same id of a device for several goals: a press at each.
struct SharedIDTests {
    private func bench() throws -> CoreBench {
        var bench = try CoreBench()
        bench.learn([Goal(slug: .known("pushups")), Goal(slug: .known("run"))])
        return bench
    }

    @Test(arguments: [true, false])
    func `the same id at another goal is another press, and each is known again`(
        _ isCommitted: Bool
    ) throws {
        var bench = try bench()
        let first = bench.press(.make("1"))
        if isCommitted { try bench.commit() }
        let second = bench.press(.make("1", goal: "run"))
        if isCommitted { try bench.commit() }
        let again = ["pushups", "run"].map { bench.press(.make("1", goal: $0)) }
        let other = ["pushups", "run"].map { bench.press(.make("1", goal: $0, value: 5)) }
        try bench.commit()
        expect(bench.acceptance(first)?.isDuplicate, is: false)
        expect(bench.acceptance(second)?.isDuplicate, is: false)
        expect(again.allSatisfy { bench.acceptance($0)?.isDuplicate == true })
        expect(bench.acceptance(again[1])?.event.goal, is: .known("run"))
        for replyID in other {
            expect(bench.refusal(replyID), is: "conflict")
        }
        expect(bench.sent.map { "\($0.requestID)" }.sorted(), is: ["button.1", "button.1~run"])
    }

    @Test func `they are known again after a restart`() throws {
        var bench = try bench()
        for goal in ["pushups", "run"] { bench.press(.make("1", goal: goal)) }
        try bench.commit()
        try bench.takeOver()
        try bench.commit { $0.learn([Goal(slug: .known("pushups")), Goal(slug: .known("run"))]) }
        for goal in ["run", "pushups"] {
            let again = try bench.commit { $0.press(.make("1", goal: goal)) }
            expect(bench.acceptance(again)?.isDuplicate, is: true)
        }
    }

    @Test func `a goal's new name is no other goal`() throws {
        var goal = Goal(slug: .known("run"))
        goal.id = "5f5d"
        var bench = try CoreBench()
        bench.learn([Goal(slug: .known("pushups")), goal])
        for goal in ["pushups", "run"] { bench.press(.make("1", goal: goal)) }
        try bench.commit()
        goal.slug = "jog"
        bench.learn([Goal(slug: .known("pushups")), goal])
        for name in ["run", "jog"] {
            let again = bench.press(.make("1", goal: name))
            expect(bench.acceptance(again)?.isDuplicate, is: true, "\(name)")
        }
    }

    @Test func `a dry run tells them apart`() throws {
        var bench = try bench()
        try bench.commit { $0.press(.make("1")) }
        var rehearsal = RelayCore.Rehearsal()
        var found: [String] = []
        for press in [
            Press.make("1"), .make("1", goal: "run"), .make("1", goal: "run"),
            .make("1", goal: "run", value: 2), .make("2", goal: "run"), .make("2"), .make("2"),
        ] {
            switch bench.core.rehearse(press, at: bench.now, &rehearsal) {
            case .accepted(let event, _, let isDuplicate):
                found.append("\(event.key.id) \(isDuplicate)")
            case .refused(.conflict): found.append("conflict")
            case .refused(let refusal): found.append("\(refusal)")
            }
        }
        expect(
            found,
            is: [
                "1 true", "1~run false", "1~run true", "conflict", "2 false", "2~pushups false",
                "2~pushups true",
            ])
    }

    @Test func `an event is found by id and goal, and one that is not alone is told`() throws {
        var bench = try bench()
        let device = DeviceIdentity(name: .known("button"), generation: nil)
        try bench.commit { $0.press(.make("1")) }
        try expect(bench.core.view.namesakes(of: require(bench.view("1"))).isEmpty)
        try bench.commit { $0.press(.make("1", goal: "run")) }
        for goal in ["pushups", "run"] {
            let view = bench.core.event(.known("1"), of: device, at: .known(goal))
            expect(view?.event.goal, is: .known(goal))
        }
        expect(bench.core.event(.known("1"), of: device, at: .known("tea")) == nil)
        try expect(bench.core.view.namesakes(of: require(bench.view("1"))).count, is: 1)
    }

    @Test(arguments: [
        ("1", true), ("1~run", true), ("1~", false), ("~run", false), ("1~a~b", false),
        ("1~a b", false), ("", false), ("a.b:c~x-y_z", true),
    ])
    func `a known id may have a goal behind it`(_ text: String, _ isID: Bool) {
        expect((EventID(recorded: text)?.description == text) == isID)
        expect(!text.contains("~") || EventID(text) == nil)
    }

    @Test func `a press whose id was moved to its goal from another one is a press of its own`()
        throws
    {
        var bench = try bench()
        try bench.commit { $0.press(.make("1")) }
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        try bench.commit { $0.retry("1", to: "run") }
        let reply = try bench.commit { $0.press(.make("1", goal: "run")) }
        expect(bench.acceptance(reply)?.isDuplicate, is: false)
        let again = bench.press(.make("1"))
        expect(bench.acceptance(again)?.isDuplicate, is: true, "where it was pressed, it is known")
        // An export names the goal where an event is.
        let exported = bench.press(.make("1", goal: "run", time: .recorded(nil)))
        expect(bench.acceptance(exported)?.isDuplicate, is: true)
    }
}
