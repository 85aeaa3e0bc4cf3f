import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import RelayCluster
@testable import RelayTrunk

/// A lease whose end a test decides.
private final class TestTerm: Sendable {
    private let isOver = Atomic(false)

    func end() { isOver.store(true, ordering: .relaxed) }

    func make() -> LeaseTerm {
        LeaseTerm(epoch: 1, lease: 1, expiry: Monotonic(milliseconds: 1)) {
            Monotonic(milliseconds: self.isOver.load(ordering: .relaxed) ? 1 : 0)
        }
    }
}

/// A relay that leads answers only while it leads for certain.
struct LeaderAnswerTests {
    private let folder = TemporaryFolder()

    @Test func `a relay answers what it has held before it led`() throws {
        let front = try RunningFront()
        let client = front.client("GET /docs")
        expect(front.awaits { $0.requests.held.count == 1 })
        _ = try front.lead(in: folder, TestTerm().make(), log: .silent)
        expect(client.answer()?.hasPrefix("HTTP/1.1 200"), is: true)
    }

    @Test(arguments: ["GET /context", "POST /log/g/undo"])
    func `a deposed leader that was frozen answers nothing of its own`(
        _ request: String
    ) throws {
        let term = TestTerm()
        let front = try RunningFront()
        let token = try front.lead(in: folder, term.make(), log: .silent)
        let fields = ["Host: 127.0.0.1", "Authorization: Bearer \(token)"]
        let status = request == "GET /context" ? "200" : "404"
        expect(front.client(request, fields).answer()?.hasPrefix("HTTP/1.1 \(status)"), is: true)
        term.end()
        let client = front.client(request, fields)
        expect(front.awaits { $0.requests.held.count == 1 })
        let health = front.client("GET /healthz").answer()
        expect(health?.contains("\"role\":\"follower\""), is: true)
        let leader = try ScriptedLeader(answering: "current")
        front.follow(leader.endpoint)
        expect(client.body(), is: "current\n")
    }

    @Test func `what was read while the lease ended is not answered`() throws {
        let term = TestTerm()
        let front = try RunningFront()
        let log = Log { if String(decoding: $0, as: UTF8.self).contains("refused") { term.end() } }
        let token = try front.lead(in: folder, term.make(), log: log)
        let fields = ["Host: 127.0.0.1", "Authorization: Bearer \(token)"]
        let client = front.client("GET /events/a", fields)
        expect(front.awaits { $0.requests.held.count == 1 })
        let leader = try ScriptedLeader(answering: "current")
        front.follow(leader.endpoint)
        expect(client.body(), is: "current\n")
    }

    @Test func `whether an undo was taken while the lease ended is unknown`() throws {
        let term = TestTerm()
        let front = try RunningFront()
        let log = Log { if String(decoding: $0, as: UTF8.self).contains("refused") { term.end() } }
        let token = try front.lead(in: folder, term.make(), log: log)
        let client = front.client(
            "GET /log/g/undo", ["Host: 127.0.0.1", "Authorization: Bearer \(token)"])
        expect(client.answer()?.contains("outcome_unknown"), is: true)
    }

    @Test func `a long poll is not answered with what a deposed leader knows`() throws {
        let term = TestTerm()
        let front = try RunningFront()
        let token = try front.lead(in: folder, term.make(), log: .silent)
        let fields = ["Host: 127.0.0.1", "Authorization: Bearer \(token)"]
        let context = try require(front.client("GET /context", fields).answer())
        let tag = try require(headField("ETag", of: context))
        let poll = front.client("GET /context?wait=1", fields + ["If-None-Match: \(tag)"])
        expect(front.awaits { $0.relay?.assumeIsolated { $0.watchers.waits.count } == 1 })
        term.end()
        expect(!poll.canRead(withinMilliseconds: 1_500))
        front.change { $0.relay?.assumeIsolated { $0.stepDown() } }
        expect(poll.answer()?.contains("outcome_unknown"), is: true)
    }
}
