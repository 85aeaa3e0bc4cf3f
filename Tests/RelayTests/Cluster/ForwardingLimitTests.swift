import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import RelayCluster
@testable import RelayTrunk

/// The limits of a follower: time, places for waiting requests, and memory.
struct ForwardingLimitTests {
    @Test func `the outcome is unknown if another relay leads before the answer`() throws {
        let frozen = try ScriptedLeader { _, _ in nil }
        let leader = try ScriptedLeader(answering: "next")
        let front = try RunningFront(following: frozen.endpoint)
        let press = front.client("GET /log/g/trigger")
        let read = front.client("GET /context")
        expect(frozen.hasReceived(2))
        front.follow(nil)
        expect(front.awaits { $0.requests.forwards.count == 2 }, "the former one may answer yet")
        front.follow(leader.endpoint)
        expect(press.answer()?.contains("outcome_unknown"), is: true)
        expect(read.body(), is: "next\n")
        expect(leader.requests.count, is: 1)
    }

    @Test func `a client that gives up a long poll gives its place up`() throws {
        let leader = try ScriptedLeader { exchange, _ in Answer(to: exchange.id, .hold) }
        let front = try RunningFront(following: leader.endpoint)
        var client: Client? = front.client("GET /context?wait=60")
        expect(client != nil)
        expect(leader.hasReceived())
        client = nil
        expect(leader.hasEndedWait())
        expect(front.awaits { $0.requests.forwards.isEmpty })
    }

    @Test func `long polls leave places for presses, and the oldest gives way`() throws {
        let leader = try ScriptedLeader { exchange, _ in
            exchange.request.target.query == nil
                ? Answer(to: exchange.id, .text(200, "taken")) : Answer(to: exchange.id, .hold)
        }
        let front = try RunningFront(following: leader.endpoint)
        let fields = ["Host: 127.0.0.1", "Authorization: Bearer a"]
        let other = front.client("GET /context?wait=60", fields)
        expect(leader.hasReceived())
        let polls = (0..<127).map { _ in front.client("GET /context?wait=60") }
        expect(leader.hasReceived(127))
        expect(front.client("GET /log/g/trigger").body(), is: "taken\n")
        let newcomer = front.client("GET /context?wait=60")
        expect(leader.hasEndedWait())
        expect(polls[0].body(), is: "over\n")
        expect(leader.hasReceived(2), "the press, and the newcomer")
        expect(!newcomer.canRead(withinMilliseconds: 0))
        expect(!other.canRead(withinMilliseconds: 0), "a token with a quarter ends its own")
    }

    @Test func `presses of one token leave places for those of others`() throws {
        let leader = try ScriptedLeader { exchange, _ in
            let isGreedy = exchange.request[.authorization]?.hasSuffix("greedy") == true
            return isGreedy ? nil : Answer(to: exchange.id, .text(200, "taken"))
        }
        let front = try RunningFront(following: leader.endpoint)
        let greedy = ["Host: 127.0.0.1", "Authorization: Bearer greedy"]
        let crowd = (0..<200).map { _ in front.client("POST /log/g", greedy, "1") }
        expect(front.awaits { $0.requests.held.count + $0.requests.forwards.count == 200 })
        for token in ["a", "b", "c"] {
            let fields = ["Host: 127.0.0.1", "Authorization: Bearer \(token)"]
            let answer = front.client("POST /log/g", fields, "1").body()
            expect(answer, is: "taken\n", "\(token)")
        }
        expect(front.client("POST /log/g").body(), is: "taken\n", "without a token")
        withExtendedLifetime(crowd) {}
    }

    @Test func `a place that is free again is taken at once`() throws {
        let leader = try ScriptedLeader { _, _ in nil }
        let front = try RunningFront(following: leader.endpoint)
        let greedy = ["Host: 127.0.0.1", "Authorization: Bearer greedy"]
        let crowd = (0..<60).map { _ in front.client("POST /log/g", greedy, "1") }
        expect(front.awaits { $0.requests.held.count + $0.requests.forwards.count == 60 })
        let places = Mutex(0)
        front.change { front in
            // As if none of them was ever to be tried again.
            let later = Instant.now.advanced(bySeconds: 3_600)
            for index in front.requests.held.indices {
                (front.requests.held[index].due, front.requests.held[index].until) = (later, later)
            }
            places.withLock { $0 = front.requests.forwards.count }
        }
        let taken = places.withLock { $0 }
        expect((1..<60).contains(taken) && leader.hasReceived(taken))
        for number in 1...(60 - taken) {
            leader.answer(number) { Answer(to: $0, .text(200, "taken")) }
            try require(leader.hasReceived())
        }
        withExtendedLifetime(crowd) {}
    }

    @Test func `long contents of one token leave room for those of others`() throws {
        let front = try RunningFront()
        let body = String(repeating: "x", count: 7 << 20)
        var held: [Client] = []
        for (token, size) in [("a", 7 << 20), ("b", 1 << 20)] {
            let fields = ["Host: 127.0.0.1", "Authorization: Bearer \(token)"]
            let part = String(body.utf8.prefix(size)) ?? ""
            held.append(front.client("POST /import", fields, part))
            let count = held.count
            expect(front.awaits { $0.requests.held.count == count }, "\(token)")
        }
        let again = front.client(
            "POST /import", ["Host: 127.0.0.1", "Authorization: Bearer a"], body)
        expect(again.answer()?.contains("crowded"), is: true)
    }

    @Test func `an export is not received faster than its client takes it`() throws {
        let leader = try ScriptedLeader { exchange, _ in
            Answer(to: exchange.id, .opening(Response(status: 200), hasEnd: true))
        }
        let front = try RunningFront(following: leader.endpoint)
        let client = Client(front.endpoint, receiveBytes: 4_096)
        client.send("GET /export HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        let part = [UInt8](repeating: 0x78, count: 65_536)
        expect(leader.wantsPart())
        var parts = 0
        repeat {
            leader.answer(1) { Answer(to: $0, .more(part)) }
            parts += 1
        } while parts < 1_000 && leader.wantsPart(withinMilliseconds: 300)
        expect((1..<1_000).contains(parts), "the client has read nothing")
        leader.answer(1) { Answer(to: $0, .end) }
        let text = client.rest()
        expect(text.hasSuffix("\r\n0\r\n\r\n"))
        expect(text.utf8.count { $0 == 0x78 }, is: parts * part.count)
    }

    @Test func `an event stream passes through as it comes, and ends with its client`() throws {
        let leader = try ScriptedLeader { exchange, _ in
            Answer(
                to: exchange.id,
                .opening(Response(status: 200, body: Array("one".utf8)), hasEnd: false))
        }
        let front = try RunningFront(following: leader.endpoint)
        let client = front.client("GET /context/stream")
        expect(client.read(through: "one") != nil)
        for text in ["two", "three"] {
            leader.answer(1) { Answer(to: $0, .more(Array(text.utf8))) }
            expect(client.read(through: text) != nil)
        }
        leader.answer(1) { Answer(to: $0, .end) }
        expect(client.rest(), is: "")
        var gone: Client? = front.client("GET /context/stream")
        expect(gone?.read(through: "one") != nil)
        gone = nil
        expect(leader.hasEndedWait())
    }

    @Test(arguments: [
        ("POST /log/g", [], 100_000, "413"), ("POST /events", [], 100_000, "401"),
        ("POST /events", ["Authorization: Bearer a"], 2 << 20, "413"),
        ("POST /import", ["Authorization: Bearer a"], 9 << 20, "413"),
        ("POST /none", ["Authorization: Bearer a"], 70_000, "413"),
    ])
    func `a stranger is refused content that no route takes, before it is sent`(
        _ request: String, _ fields: [String], _ bytes: Int, _ status: String
    ) throws {
        let front = try RunningFront()
        let client = front.client(
            request, ["Host: 127.0.0.1", "Content-Length: \(bytes)"] + fields)
        expect(client.answer()?.hasPrefix("HTTP/1.1 \(status)"), is: true)
    }

    @Test func `all that is held together has a limit`() throws {
        let front = try RunningFront()
        let body = String(repeating: "x", count: 6 << 20)
        let fields = ["Host: 127.0.0.1", "Authorization: Bearer a"]
        var held: [Client] = []
        for count in 1...2 {
            held.append(front.client("POST /import", fields, body))
            expect(front.awaits { $0.requests.held.count == count })
        }
        let answer = try require(front.client("POST /import", fields, body).answer())
        expect(answer.hasPrefix("HTTP/1.1 503"))
        expect(answer.contains("crowded"))
        held.append(front.client("POST /log/g", fields, "1"))
        let isHeld = front.awaits { front in
            front.requests.held.contains { $0.exchange.request.target.path == "/log/g" }
        }
        expect(isHeld, "a press is small")
    }

    @Test func `requests get the time that they ask for`() throws {
        let leader = try ScriptedLeader(answering: "")
        let front = try RunningFront(following: leader.endpoint)
        for path in ["/context?wait=30", "/context", "/context/stream", "/log/g/trigger"] {
            _ = front.client("GET \(path)").answer()
        }
        expect(leader.requests.map(RouteTable.relay.answerSeconds), is: [40, 10, 10, 10])
        expect(leader.requests.map(RouteTable.relay.isWait), is: [true, false, true, false])
    }
}
