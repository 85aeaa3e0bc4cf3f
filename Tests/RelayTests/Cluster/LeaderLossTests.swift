import Foundation
import RelayHTTP
import Testing

@testable import RelayCluster

/// A relay that follows, when its leader is away, dies, or leads no longer.
struct LeaderLossTests {
    private static let press = "POST /log/water"

    private func expectUnknown(_ answer: String?) {
        expect(answer?.hasPrefix("HTTP/1.1 503 "), is: true, "\(answer ?? "no answer")")
        expect(answer?.contains("\r\nRetry-After: 5\r\n"), is: true)
        expect(answer?.contains("outcome_unknown"), is: true)
    }

    private func leader(_ answer: String) throws -> RawBeeminder {
        try RawBeeminder { _ in answer }
    }

    private let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func `a request waits four seconds for a leader and must come again then`() throws {
        let follower = try RunningFront(following: nil)
        let begin = ContinuousClock.now
        let client = follower.client(LeaderLossTests.press)
        let health = follower.client("GET /healthz").answer()
        expect(health?.hasPrefix("HTTP/1.1 503 "), is: true)
        expect(health?.contains(#""role":"follower""#), is: true)
        let answer = client.answer()
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        expect(ClusterFront.patience < 4.5, "ESPHome gives up then")
        expect(seconds >= ClusterFront.patience)
        expect(answer?.hasPrefix("HTTP/1.1 503 "), is: true)
        expect(answer?.contains("\r\nRetry-After: 2\r\n"), is: true)
        expect(answer?.contains("no_leader"), is: true, "\(answer ?? "no answer")")
    }

    /// Before that it knows no leader, or one to which nothing can be sent.
    @Test(arguments: [false, true])
    func `a request that waits goes to the leader as soon as there is one`(
        _ isOtherGone: Bool
    ) throws {
        let gone = Endpoint(Address([127, 0, 0, 1]), port: try LoopbackPort.reserved())
        let leader = try leader(good)
        let follower = try RunningFront(following: isOtherGone ? gone : nil)
        let client = follower.client(LeaderLossTests.press)
        expect(!client.canRead(withinMilliseconds: 50))
        follower.follow(leader.endpoint)
        expect(client.body(), is: "ok")
        expect(leader.asked.count, is: 1)
        let health = follower.client("GET /healthz").answer()
        expect(health?.hasPrefix("HTTP/1.1 200 "), is: true)
        expect(health?.contains(#""leader":"\#(leader.endpoint)""#), is: true)
    }

    @Test(arguments: [
        ("", 0), ("HTTP/1.1 200 OK\r\nContent-Le", 0), ("SSH-2.0-OpenSSH\r\n\r\n", 0),
        ("HTTP/1.1 200 OK\r\n", 20_000),
    ])
    func `a press whose answer did not begin may count, which the client is told`(
        _ answer: String, _ fields: Int
    ) throws {
        let leader = try leader(answer + String(repeating: "X: y\r\n", count: fields))
        let follower = try RunningFront(following: leader.endpoint)
        expectUnknown(follower.client(LeaderLossTests.press).answer())
        expect(leader.asked.count, is: 1, "a press is not repeated")
    }

    @Test(arguments: ["3\r\nabc\r\n", "3\r\nabc\r\n8\r\nhalf"])
    func `a leader that dies in the middle of a long answer leaves it without end`(
        _ chunks: String
    ) throws {
        let leader = try leader(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
        let follower = try RunningFront(following: leader.endpoint)
        let answer = follower.client("GET /export").rest()
        expect(answer.hasPrefix("HTTP/1.1 200 "))
        expect(!answer.hasSuffix("0\r\n\r\n"), "\(answer)")
        expect(leader.asked.count, is: 1)
    }

    @Test func `two relays that follow each other do not go in circles`() throws {
        let first = try RunningFront(following: nil)
        let second = try RunningFront(following: first.endpoint)
        first.follow(second.endpoint)
        let third = try RunningFront(following: nil)
        third.follow(third.endpoint)
        let client = first.client(LeaderLossTests.press)
        let other = second.client(LeaderLossTests.press)
        let own = third.client(LeaderLossTests.press)
        expect(!client.canRead(withinMilliseconds: 300), "it waits for a leader")
        let leader = try leader(good)
        second.follow(leader.endpoint)
        expect(other.body(), is: "ok")
        for waiting in [client, own] {
            let answer = waiting.answer()
            expect(answer?.contains("no_leader"), is: true, "\(answer ?? "no answer")")
        }
        expect(leader.asked.count, is: 1, "what one relay passes on no other one passes on again")
    }

    // MARK: Limits

    @Test func `a request beyond a sender's share waits for its turn`() throws {
        let leader = try RunningServer().start()
        let follower = try RunningFront(following: leader.endpoint)
        let waiting = (0..<32).map { _ in follower.client("GET /hold") }
        leader.awaitHeld(32)
        let last = follower.client("POST /late")
        expect(!last.canRead(withinMilliseconds: 50))
        leader.release()
        for client in waiting { expect(client.body(), is: "h") }
        expect(last.body(), is: "POST /late ")
    }
}
