import Testing

@testable import BeemedDomain

/// Mistyped tokens, tokens that were replaced before Beeminder could be reached, other users.
@Suite struct ConnectionUserTests {
    private static let created = Outcome.delivered(.created, datapoint: "d1")

    @Test func `frees what came under a mistyped token when the right one is named`() throws {
        let disk = SimulatedDisk()
        do {
            var bench = try CoreBench(disk: disk, connection: "typo")
            bench.press(.make("1"))
            try bench.commit()
            #expect(bench.sent.isEmpty, "nobody has said whose the token is")
            bench.connect("right")
            #expect(bench.state("1") == .held)
            // The first answer is still about the token before.
            bench.learn()
            bench.learn()
            #expect(bench.sent.isEmpty, "whose it is was not on the disk")
            try bench.commit()
            #expect(bench.sent.map(\.requestID) == ["button.1"])
        }
        // A start with another token of the same user knows it without any other file.
        for connection in ["third", "fourth"] {
            disk.kill()
            var bench = try CoreBench(disk: disk, connection: connection)
            #expect(bench.state("1") == .held)
            bench.learn()
            try bench.commit()
            #expect(bench.sent.map(\.requestID) == ["button.1"])
            #expect(bench.core.account.users[.known("typo")] == "alice")
        }
    }

    @Test func `frees what came under tokens that Beeminder could never be asked about`() throws {
        var bench = try CoreBench(connection: "one")
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.connect("two")
        bench.press(.make("2"))
        try bench.commit()
        bench.connect("three")
        bench.learn()
        bench.learn()
        try bench.commit()
        #expect(bench.core.parkedEvents == 0)
        #expect(bench.state("2") != .held)
    }

    @Test func `sends nothing before it is on the disk whom Beeminder has named`() throws {
        var bench = try CoreBench(connection: "alices")
        bench.press(.make("1"))
        try bench.commit()
        bench.learn()
        #expect(bench.core.user == "alice")
        #expect(bench.sent.isEmpty)
        try bench.commit()
        #expect(bench.sent.map(\.requestID) == ["button.1"])
    }

    @Test func `does not free what belongs to a user that was named`() throws {
        var bench = try CoreBench(connection: "alices")
        bench.learn()
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.connect("bobs")
        bench.learn(user: "bob")
        try bench.commit()
        bench.pass(seconds: 1_000)
        #expect(bench.sent.count == 1)
        #expect(bench.state("1") == .held)
        #expect(bench.core.account.users[.known("alices")] == "alice")
    }

    @Test func `sends nothing by a token that was given to the next user and never named`() throws {
        var bench = try CoreBench(connection: "bobs")
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.connect("alices")
        bench.learn()
        bench.learn()
        bench.press(.make("2"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        #expect(bench.core.account.users[.known("bobs")] == "alice")
        // The first token again: it may be anybody's.
        bench.connect("bobs")
        let before = bench.sent.count
        bench.pass(seconds: 1_000)
        #expect(bench.sent.count == before)
        #expect(!bench.core.isVerified && bench.core.snapshot(at: bench.now).goals.isEmpty)
        bench.apply(.fetched(.userOnly("bob", why: "down")))
        bench.apply(.fetched(.userOnly("bob", why: "down")))
        try bench.commit()
        #expect(bench.core.account.users[.known("alices")] == "alice", "nobody was renamed")
        #expect(bench.core.account.users[.known("bobs")] == "bob")
        #expect(bench.state("2") == .held)
    }

    @Test func `lets a user who was renamed keep all connections`() throws {
        var bench = try CoreBench(connection: "old")
        bench.learn()
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.connect("new")
        bench.learn()
        try bench.commit()
        bench.learn(user: "alicia")
        try bench.commit()
        #expect(bench.core.account.users[.known("old")] == "alicia")
        #expect(bench.core.parkedEvents == 0)
    }

    @Test func `a user who was renamed and has a new token is the same by the id`() throws {
        let disk = SimulatedDisk()
        do {
            var bench = try CoreBench(disk: disk, connection: "old")
            bench.learn(UpstreamUser(name: "alice", id: "u1"))
            bench.press(.make("1"))
            try bench.commit()
            bench.deliver(bench.number("1"), .unauthorized)
            try bench.commit()
        }
        disk.kill()
        var bench = try CoreBench(disk: disk, connection: "new")
        bench.connect("new", user: "alicia")
        try bench.commit()
        #expect(bench.state("1") == .held, "the name alone is another user's")
        bench.learn(UpstreamUser(name: "alicia", id: "u1"))
        bench.learn(UpstreamUser(name: "alicia", id: "u1"))
        try bench.commit()
        #expect(bench.core.account.users[.known("old")] == "alicia")
        #expect(bench.core.parkedEvents == 0)
        bench.connect("third", user: "bob")
        bench.learn(UpstreamUser(name: "bob", id: "u2"))
        bench.learn(UpstreamUser(name: "bob", id: "u2"))
        try bench.commit()
        #expect(bench.core.account.users[.known("old")] == "alicia")
        #expect(bench.core.account.users[.known("third")] == "bob")
    }

    @Test func `forgets no user, however many tokens there were`() throws {
        var bench = try CoreBench(connection: "first")
        bench.learn()
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        for number in 0..<120 {
            bench.connect("c\(number)")
            bench.learn(user: "bob")
            try bench.commit()
        }
        bench.connect("last")
        bench.learn()
        try bench.commit()
        #expect(bench.core.parkedEvents == 0)
        #expect(bench.state("1") == .sending || bench.state("1") == .queued)
    }

    @Test func `is not online and shows nobody's goals before a token is verified`() throws {
        var bench = try CoreBench(connection: "alices")
        #expect(bench.core.sync == .unverified)
        bench.learn()
        try bench.commit()
        #expect(bench.core.sync == .online)
        #expect(bench.core.snapshot(at: bench.now).goals.count == 1)
        bench.connect("other")
        #expect(bench.core.sync == .unverified)
        #expect(bench.core.user == nil)
        let unknown = bench.core.snapshot(at: bench.now)
        #expect(unknown.goals.isEmpty && unknown.user == nil)
        #expect(bench.core.overview(at: bench.now).goals.isEmpty)
        // Bob's goals cannot be had: alice's are not his.
        bench.apply(.fetched(.userOnly("bob", why: "down")))
        let bobs = bench.core.snapshot(at: bench.now)
        #expect(bobs.user == "bob" && bobs.goals.isEmpty)
    }

    @Test func `knows one user only where nobody is named`() throws {
        var bench = try CoreBench(connection: "one")
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unreachable("down"))
        bench.connect("two")
        bench.apply(.fetched(.noUser))
        bench.apply(.fetched(.noUser))
        #expect(bench.core.sync == .online)
        #expect(bench.core.parkedEvents == 0)
    }

    @Test func `a connection whose user cannot be named gets nothing of a user who was`() throws {
        var bench = try CoreBench(connection: "alices")
        bench.learn()
        try bench.commit()
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unclear("status 502"))
        bench.connect("bobs")
        bench.apply(.fetched(.noUser))
        bench.apply(.fetched(.noUser))
        bench.pass(seconds: 600)
        #expect(bench.state("1") == .held)
        #expect(bench.sent.count == 1, "only the attempt before")
        bench.undo("1")
        try bench.commit()
        #expect(bench.deletions.isEmpty)
    }

    @Test func `an answer without a name gives nobody the user before`() throws {
        var bench = try CoreBench(connection: "bobs")
        bench.learn(UpstreamUser(name: "bob", id: "b1"))
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unclear("status 502"))
        bench.connect("alices")
        bench.apply(.fetched(.noUser))
        bench.apply(.fetched(.noUser))
        #expect(bench.core.user == nil && !bench.core.isVerified)
        #expect(bench.core.sync != .online)
        bench.learn(UpstreamUser(name: "alice", id: "a1"))
        try bench.commit()
        #expect(bench.core.user == "alice")
        #expect(bench.core.account.users[.known("bobs")] == "bob")
        #expect(bench.state("1") == .held)
    }

    @Test func `two ids are two users, and no renamed one`() throws {
        var bench = try CoreBench(connection: "bobs")
        bench.learn(UpstreamUser(name: "bob", id: "b1"))
        bench.press(.make("1"))
        try bench.commit()
        bench.deliver(bench.number("1"), .unclear("status 502"))
        // Somebody has said that this token is bob's, wrongly.
        bench.connect("alices", user: "bob")
        bench.learn(UpstreamUser(name: "alice", id: "a1"))
        bench.learn(UpstreamUser(name: "alice", id: "a1"))
        try bench.commit()
        #expect(bench.core.account.users[.known("bobs")] == "bob")
        #expect(bench.core.account.users[.known("alices")] == "alice")
        #expect(bench.state("1") == .held)
    }

    @Test func `a press that is moved while its user is named goes to the new goal alone`() throws {
        var bench = try CoreBench(connection: "one")
        bench.press(.make("1"))
        try bench.commit()
        bench.connect("two")
        // The first answer is one to a question about the former account.
        for _ in 0..<2 {
            bench.learn([Goal(slug: .known("pushups")), Goal(slug: .known("read"))], user: "bob")
        }
        bench.retry("1", to: "read")
        try bench.commit()
        #expect(bench.sent.map(\.goal.description) == ["read"])
    }
}
