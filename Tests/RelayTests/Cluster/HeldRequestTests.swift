import Foundation
import RelayHTTP
import Testing

@testable import RelayCluster

private let press = "GET /log/g/trigger"

/// Requests that wait for a leader.
struct HeldRequestTests {
    @Test func `a held request whose client has gone is never sent`() throws {
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront()
        var gone: Client? = front.client(press)
        expect(gone != nil)
        let again = front.client(press)
        expect(front.awaits { $0.requests.held.count == 2 })
        gone = nil
        expect(front.awaits { $0.requests.held.count == 1 })
        front.follow(leader.endpoint)
        expect(again.body(), is: "taken\n")
        expect(leader.requests.count, is: 1)
    }

    @Test func `who only closes its sending direction hears that nothing was taken`() throws {
        let front = try RunningFront()
        let client = front.client(press)
        expect(front.awaits { $0.requests.held.count == 1 })
        client.closeSending()
        expect(client.answer()?.contains("no_leader"), is: true)
        expect(client.rest(), is: "")
    }

    @Test func `with a leader, a client that closes its sending direction is answered`() throws {
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront(following: leader.endpoint)
        let client = Client(front.endpoint)
        let request = "\(press) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        client.send(request)
        client.closeSending()
        expect(client.body(), is: "taken\n")
        expect(client.rest(), is: "")
    }

    @Test func `a shutdown refuses what is held, and never what was passed on`() throws {
        let front = try RunningFront()
        let held = front.client(press)
        expect(front.awaits { $0.requests.held.count == 1 })
        front.drain()
        expect(held.answer()?.contains("no_leader"), is: true)
        for (end, words) in [
            (Answer.Content.whole(.text(200, "taken")), "taken"),
            (.hangUp, "outcome_unknown"),
        ] {
            let leader = try ScriptedLeader { _, _ in nil }
            let front = try RunningFront(following: leader.endpoint)
            let sent = front.client(press)
            expect(leader.hasReceived())
            front.drain()
            expect(!sent.canRead(withinMilliseconds: 50))
            leader.answer(1) { Answer(to: $0, end) }
            expect(sent.answer()?.contains(words), is: true, "\(words)")
        }
    }

    @Test func `a relay that does not lead says so to one that passes a request on`() throws {
        let front = try RunningFront()
        let client = front.client("POST /log/g", ["Host: 127.0.0.1", "X-Beemed-Forwarded: 1"], "1")
        let answer = try require(client.answer())
        expect(answer.hasPrefix("HTTP/1.1 503"))
        expect(answer.contains("X-Beemed-Not-Leading: 1"))
    }

    @Test func `a press is held while its leader recovers or has just stepped down`() throws {
        let leader = try ScriptedLeader { exchange, count in
            Answer(to: exchange.id, count < 4 ? .notLeading : .text(200, "taken"))
        }
        let front = try RunningFront(following: leader.endpoint)
        let answer = try require(front.client(press).answer())
        expect(answer.hasSuffix("taken\n"))
        expect(!answer.contains("X-Beemed"))
        expect(leader.requests.count, is: 4)
    }

    @Test func `a press goes to the relay that takes over from one that does not lead`() throws {
        let former = try ScriptedLeader { exchange, _ in Answer(to: exchange.id, .notLeading) }
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront(following: former.endpoint)
        let client = front.client("POST /log/g", ["Host: 127.0.0.1"], "{\"value\": 1}")
        expect(former.hasReceived())
        front.follow(leader.endpoint)
        expect(client.body(), is: "taken\n")
        expect(leader.requests.count, is: 1)
    }

    @Test func `settings that are reread hold for a relay that follows`() throws {
        let leader = try ScriptedLeader(answering: "taken")
        let front = try RunningFront(following: leader.endpoint)
        let fields = ["Host: relay.example"]
        expect(front.client("GET /context", fields).answer()?.hasPrefix("HTTP/1.1 421"), is: true)
        let settings = try RunningFront.settings(["--host-name", "relay.example"])
        front.change { $0.change(settings) }
        expect(front.client("GET /context", fields).body(), is: "taken\n")
    }

    @Test func `the metrics of a follower are its own`() throws {
        let leader = try ScriptedLeader(answering: "beemed_cluster_leader 1")
        let front = try RunningFront(following: leader.endpoint)
        let text = try require(front.client("GET /metrics").body())
        expect(text.contains("\nbeemed_cluster_leader 0\n"))
        expect(text.contains("\nbeemed_connections 1\n"))
        expect(leader.requests.isEmpty)
    }
}
