import Testing

@testable import BeemedDomain

/// Whose folder it is: nothing that was accepted for one user is ever sent to another.
struct FolderUserTests {
    private static let alice = UpstreamUser(name: "alice", id: "a1", timezone: "UTC")
    private static let bob = UpstreamUser(name: "bob", id: "b1", timezone: "UTC")

    /// A bench whose folder is alice's.
    private func alices() throws -> CoreBench {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn(Self.alice) }
        return bench
    }

    /// The same with a press that is delivered.
    private func delivered() throws -> CoreBench {
        var bench = try alices()
        try bench.commit { $0.press(.make("1")) }
        try bench.commit { $0.deliver($0.number("1"), Outcome.created) }
        return bench
    }

    // MARK: The first user

    @Test func `what came under a mistyped token is the first user's who is named`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.press(.make("1")) }
        expect(bench.sent.isEmpty, "nobody has said whose the token is")
        bench.connect(.unknown)
        // The first answer is still about the token before.
        bench.learn()
        bench.learn()
        expect(bench.sent.isEmpty, "whose folder it is was not on the disk")
        try bench.commit()
        expect(bench.sent.map(\.requestID), is: ["button.1"])
        for _ in 0..<2 {
            try bench.restart(token: .unknown)
            expect(bench.core.account.user?.name == "alice" && bench.sent.isEmpty)
            bench.learn()
            expect(bench.sent.map(\.requestID), is: ["button.1"], "it is on the disk")
        }
    }

    @Test func `sends nothing before it is on the disk whose folder it is`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.press(.make("1")) }
        bench.learn()
        expect(bench.core.view.user, is: "alice")
        bench.reject()
        bench.pass(seconds: 1)
        expect(bench.sent.isEmpty)
        try bench.commit { $0.pass(seconds: 6) }
        expect(bench.sent.map(\.requestID), is: ["button.1"])
    }

    @Test func `is not online and shows nobody's goals before a token is verified`() throws {
        var bench = try CoreBench(token: .unknown)
        expect(bench.core.view.sync, is: .unverified)
        try bench.commit { $0.learn() }
        expect(bench.core.view.sync, is: .online)
        expect(bench.core.view.snapshot(at: bench.now).goals.count, is: 1)
        bench.connect(.unknown)
        expect(bench.core.view.sync, is: .unverified)
        expect(bench.core.view.user == nil)
        let unknown = bench.core.view.snapshot(at: bench.now)
        expect(unknown.goals.isEmpty && unknown.user == nil)
        expect(bench.core.view.overview(at: bench.now).goals.isEmpty)
        // Bob's goals cannot be had: alice's are not his.
        bench.apply(.fetched(.userOnly("bob", why: "down")))
        let bobs = bench.core.view.snapshot(at: bench.now)
        expect(bobs.user == "bob" && bobs.goals.isEmpty)
    }

    @Test func `knows one user only where nobody is named`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.press(.make("1")) }
        bench.apply(.fetched(.noUser))
        expect(bench.core.view.sync, is: .online)
        expect(bench.sent.map(\.requestID), is: ["button.1"])
    }

    @Test func `a press that is moved while its user is named goes to the new goal alone`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.press(.make("1")) }
        bench.connect(.unknown)
        // The first answer is one to a question about the former account.
        for _ in 0..<2 {
            bench.learn([Goal(slug: .known("pushups")), Goal(slug: .known("read"))], user: "bob")
        }
        try bench.commit { $0.retry("1", to: "read") }
        expect(bench.sent.map(\.goal.description), is: ["read"])
    }

    // MARK: Names and ids

    @Test func `a renamed user is the same by the id, also by a new token`() throws {
        var bench = try alices()
        try bench.commit { $0.press(.make("1")) }
        try bench.commit { $0.deliver($0.number("1"), .unauthorized) }
        try bench.restart(token: .named("alicia"))
        expect(
            bench.core.account.other == nil && !bench.core.view.isVerified,
            "the name alone says nothing"
        )
        expect(bench.sent.isEmpty)
        bench.learn(UpstreamUser(name: "alicia", id: "a1"))
        expect(
            bench.sent.map(\.requestID), is: ["button.1"], "the new name need not be written first")
        try bench.commit()
        expect(bench.core.account.user, is: FolderUser(name: "alicia", id: "a1"))
        try bench.restart(token: .unknown)
        expect(bench.core.account.user, is: FolderUser(name: "alicia", id: "a1"))
    }

    @Test(
        arguments: [
            ("alice", "a1", "alice", "a1", .same), ("alice", "a1", "alicia", "a1", .same),
            ("alice", "a1", "alice", "b1", .other), ("alice", "a1", "alice", nil, .same),
            ("alice", nil, "alice", "a1", .same), ("alice", nil, "bob", nil, .other),
            ("alice", nil, "bob", "b1", .other), ("alice", "a1", "bob", nil, .unknown),
        ] as [(String, String?, String, String?, FolderUser.Likeness)])
    func `users are compared by their ids, and by their names where one has none`(
        _ name: String, _ id: String?, _ said: String, _ other: String?,
        _ likeness: FolderUser.Likeness
    ) {
        let user = FolderUser(name: name, id: id)
        expect(user.likeness(of: UpstreamUser(name: said, id: other)), is: likeness)
    }

    @Test func `two ids are two users, and no renamed one`() throws {
        var bench = try alices()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        // Somebody has said that this token is alice's, wrongly.
        bench.connect(.named("alice"))
        bench.pass(seconds: 1_000)
        let sent = bench.sent.count
        for _ in 0..<2 { bench.learn(UpstreamUser(name: "alice", id: "b1")) }
        try bench.commit()
        bench.deliver(bench.number("1"), .unclear("status 502"))
        bench.pass(seconds: 1_000)
        expect(bench.sent.count == sent && bench.state("1") == .held)
        expect(bench.core.account.user?.id, is: "a1")
    }

    // MARK: Another user's token

    @Test func `nothing is sent by another user's token, and all of it by the own one`() throws {
        var bench = try alices()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(bench.number("1"), .unreachable("down"))
        // It cannot be verified at first, and a press comes under it.
        bench.connect(.unknown)
        try bench.commit { $0.press(.make("2")) }
        bench.pass(seconds: 1_000)
        expect(bench.sent.count, is: 1)
        for _ in 0..<2 { bench.learn(Self.bob) }
        try bench.commit()
        bench.pass(seconds: 1_000)
        expect(bench.sent.count, is: 1)
        expect(bench.core.account.other?.name == "bob" && bench.core.account.user?.name == "alice")
        expect(bench.core.view.sync == .signInAgain && bench.core.view.unsettledEvents == 2)
        expect(["1", "2"].map { bench.state($0) }, is: [.held, .held])
        expect(bench.core.view.heldEvents == 2 && !bench.core.view.isStalled(at: bench.now))
        let vain = bench.retry("1")
        guard case .refused(.notPossible(.held))? = bench.replies[vain]
        else { throw Unexpected("it says that it was tried") }
        try bench.restart(token: .named(Self.bob))
        try bench.commit { $0.press(.make("3")) }
        bench.pass(seconds: 1_000)
        expect(bench.sent.isEmpty && bench.state("1") == .held)
        bench.apply(.disconnected)
        bench.connect(.named(Self.alice))
        for _ in 0..<2 { bench.learn(Self.alice) }
        for id in ["1", "2", "3"] { bench.deliver(bench.number(id), Outcome.created) }
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2", "button.3"])
    }

    @Test func `a day of one user is not revised by another's token`() throws {
        var bench = try alices()
        try bench.record(5_000)
        try bench.commit { $0.deliver($0.number(.make(5_000)), Outcome.created) }
        bench.connect(.unknown)
        try expect(bench.said(note: 12), is: "queued")
        for _ in 0..<2 { bench.learn(Self.bob) }
        try bench.commit { $0.apply(.takenOver) }
        bench.pass(seconds: 1_000)
        expect(bench.sent.map(\.value), is: [5_000])
        expect(bench.core.view.unsettledEvents, is: 1, "a newer value waits")
    }

    @Test(arguments: [false, true])
    func `an answer without a name gives nobody what is a user's`(_ isUnknown: Bool) throws {
        var bench = try alices()
        try bench.commit { $0.press(.make("1")) }
        bench.deliver(bench.number("1"), .unclear("status 502"))
        if isUnknown { bench.connect(.unknown) } else { bench.connect(.named(Self.bob)) }
        for _ in 0..<2 { bench.apply(.fetched(.noUser)) }
        bench.pass(seconds: 600)
        expect(bench.sent.count, is: 1, "only the attempt before")
        expect(bench.core.view.sync != .online)
        try bench.commit { $0.undo("1") }
        expect(bench.deletions.isEmpty)
    }

    // MARK: Beginning anew

    @Test func `another user begins anew where nothing waits`() throws {
        var bench = try delivered()
        try bench.record(5_000)
        try bench.commit { $0.deliver($0.number(.make(5_000)), Outcome.created) }
        bench.apply(.pinned([.known("pushups")]))
        bench.connect(.named(Self.bob))
        bench.apply(.takenOver)
        expect(bench.core.account.isBeingTakenOver && bench.takeovers == 0)
        expect(bench.view("1") == nil && bench.core.pins.isEmpty && bench.core.goals.goals.isEmpty)
        bench.press(.make("1"))
        expect(bench.sent.count, is: 2, "whose folder it is was not on the disk")
        try bench.commit()
        expect(bench.takeovers == 1 && !bench.core.account.isBeingTakenOver)
        for _ in 0..<2 { bench.learn(Self.bob) }
        try expect(bench.said(note: 12), is: "queued")
        bench.deliver(bench.number("1"), Outcome.created)
        try bench.commit { $0.deliver($0.number(.make(12)), Outcome.created) }
        expect(bench.sent.map(\.value), is: [1, 5_000, 1, 12])
        // Alice's events are in the history, also when bob has another name.
        try bench.commit { $0.learn(UpstreamUser(name: "bobby", id: "b1")) }
        let since = try require(bench.core.account.user?.since)
        for _ in 0..<2 {
            try bench.restart(token: .unknown)
            expect(bench.core.account.user, is: FolderUser(name: "bobby", id: "b1", since: since))
            expect(bench.rig.recovered.entries.map(\.event.value), is: [1, 12])
            var past: [Double] = []
            try History(bench.rig.disk).newestFirst { entry in
                if entry.number < since { past.append(entry.event.value) }
                return true
            }
            expect(past.sorted(), is: [1, 5_000])
            expect(bench.rig.recovered.recoveryReport.sentences.isEmpty)
        }
    }

    @Test(arguments: ["waits", "refused", "erasing", "uncommitted", "undo"])
    func `another user does not begin anew while something is not settled`(_ why: String) throws {
        var bench = try why == "waits" || why == "refused" ? alices() : delivered()
        if why == "waits" || why == "refused" || why == "uncommitted" {
            bench.press(.make("2"))
            if why != "uncommitted" { try bench.commit() }
        }
        if why == "waits" { bench.deliver(bench.number("2"), .unreachable("down")) }
        if why == "refused" {
            try bench.commit { $0.deliver($0.number("2"), .refused(status: 422, why: "no")) }
        }
        if why == "undo" || why == "erasing" { bench.undo("1") }
        if why == "erasing" { try bench.commit() }
        bench.connect(.named(Self.bob))
        expect(bench.core.view.unsettledEvents, is: 1)
        try bench.commit { $0.apply(.takenOver) }
        expect(bench.core.account.user?.name == "alice" && bench.takeovers == 0)
        expect(bench.core.account.other?.name, is: "bob")
    }

    @Test func `the own token, and one that is not verified, take over nothing`() throws {
        var bench = try delivered()
        for token in [TokenUser.named(Self.alice), .unknown] {
            bench.connect(token)
            try bench.commit { $0.apply(.takenOver) }
            expect(bench.view("1") != nil && bench.takeovers == 0)
        }
    }

    @Test func `a crash before it is durable leaves the folder as it was`() throws {
        var bench = try delivered()
        bench.connect(.named(Self.bob))
        bench.apply(.takenOver)
        bench.press(.make("2"))
        try bench.restart(token: .named(Self.bob))
        expect(bench.core.account.user?.name == "alice" && bench.core.account.other?.name == "bob")
        expect(bench.view("1") != nil && bench.view("2") == nil)
        try bench.commit { $0.apply(.takenOver) }
        expect(bench.core.account.user?.name == "bob" && bench.view("1") == nil)
    }

    @Test func `without room on the disk nothing is sent until it is durable`() throws {
        var bench = try delivered()
        bench.connect(.named(Self.bob))
        bench.apply(.takenOver)
        bench.reject()
        for _ in 0..<2 { bench.learn(Self.bob) }
        bench.press(.make("2"))
        expect(bench.sent.count, is: 1)
        try bench.commit { $0.pass(seconds: 6) }
        try bench.commit { $0.press(.make("3")) }
        expect(bench.takeovers == 1 && bench.core.account.user?.name == "bob")
        expect(bench.sent.map(\.requestID).dropFirst().allSatisfy { $0 != "button.1" })
    }

    @Test func `one user's tokens in the journal of an earlier version are one user`() throws {
        var lines = Lines.segment(events: 1)
        lines.add(#"{"t":"user","q":2,"connection":"c1","user":"alice"}"#)
        lines.add(#"{"t":"user","q":3,"connection":"c2","user":"alice","inherited":true}"#)
        lines.add(#"{"t":"user","q":4,"connection":"c3","user":"alice","userid":"a1"}"#)
        var bench = try CoreBench(disk: lines.disk(), token: .unknown)
        try bench.commit { $0.learn(Self.alice) }
        expect(bench.sent.map(\.requestID), is: ["button.e1"])
    }
}

extension CoreBench {
    /// The number of a day's event.
    fileprivate func number(_ total: DayTotal) -> SequenceNumber {
        core.ledger[total.key]?.number ?? 0
    }
}
