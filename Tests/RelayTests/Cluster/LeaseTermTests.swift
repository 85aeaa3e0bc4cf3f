import BeemedDomain
import Foundation
import Synchronization
import Testing

@testable import RelayTrunk

/// Only the leader of a cluster calls Beeminder, and only while its lease cannot have ended.
struct LeaseTermTests {
    /// A clock that a test sets, in milliseconds.
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
        var read: @Sendable () -> Monotonic {
            { Monotonic(milliseconds: self.now.load(ordering: .relaxed)) }
        }
    }

    /// A lease of five seconds.
    private func term(_ clock: Clock) -> LeaseTerm {
        LeaseTerm(
            epoch: 7, lease: 1, expiry: Monotonic(milliseconds: 5_000), clock: clock.read)
    }

    @Test func `nothing is sent in the last second of a lease`() {
        let clock = Clock()
        let term: LeaseTerm? = term(clock)
        expect(term.maySend)
        clock.now.store(3_999, ordering: .relaxed)
        expect(term.maySend)
        clock.now.store(4_000, ordering: .relaxed)
        expect(!term.maySend)
    }

    @Test func `nothing is sent after the term, and a relay that is alone needs none`() {
        let term: LeaseTerm? = term(Clock())
        expect(term.maySend)
        term?.finish()
        expect(!term.maySend)
        let alone: LeaseTerm? = nil
        expect(alone.maySend)
    }

    @Test func `a relay that does not lead sends nothing`() throws {
        let beeminder = try RawBeeminder { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}" }
        let account = Account.personalToken("s3cret")
        let clock = Clock()
        let client = try BeeminderClient(
            base: "http://127.0.0.1:\(beeminder.port)", account: account, term: term(clock),
            wallClock: { UnixTime(1_760_000_000) })
        let call = BeeminderClient.APIRequest(path: "users/me")
        _ = try client.perform(call, as: account)
        expect(beeminder.asked.count, is: 1)
        clock.now.store(4_500, ordering: .relaxed)
        #expect(throws: TransportFailure.notLeading) { try client.perform(call, as: account) }
        expect(beeminder.asked.count, is: 1)
    }

    @Test func `a request that hangs is cancelled when the lease may have ended`() throws {
        let isHeld = DispatchSemaphore(value: 0)
        defer { isHeld.signal() }
        let clock = Clock()
        let beeminder = try RawBeeminder { _ in
            clock.now.store(4_500, ordering: .relaxed)
            _ = isHeld.awaitSignal()
            return ""
        }
        let account = Account.personalToken("s3cret")
        let client = try BeeminderClient(
            base: "http://127.0.0.1:\(beeminder.port)", account: account, term: term(clock),
            wallClock: { UnixTime(1_760_000_000) })
        do throws(TransportFailure) {
            let answer = try client.perform(
                BeeminderClient.APIRequest(path: "users/me"), as: account)
            Issue.record("\(answer)")
        } catch {
            guard case .network(let code) = error else { throw Unexpected(error) }
            expect(code != NetworkError.timedOut, "cancelled, and not at the time-out")
        }
    }
}
