/// The loop waits for the disk only where that delays nobody.
import Testing

@testable import BeemedDomain

struct SyncPolicyTests {
    /// A policy that knows the disk, and that many batches of single presses later.
    private func policy(_ count: Int, seconds: Double) -> SyncPolicy {
        var policy = SyncPolicy()
        for _ in 0..<SyncPolicy.proof { policy.note(seconds: 0.003, isAlone: false) }
        for _ in 0..<count { policy.note(seconds: seconds, isAlone: true) }
        return policy
    }

    @Test func `single presses on a fast disk are written in place`() {
        let enough = SyncPolicy.enough
        expect(!policy(enough - 1, seconds: 0.001).isInPlace)
        expect(policy(enough, seconds: 0.001).isInPlace)
        expect(!policy(10 * enough, seconds: 0.003).isInPlace)
    }

    @Test func `a second press or another request ends writing in place`() {
        var policy = policy(SyncPolicy.enough, seconds: 0.000_05)
        policy.note(seconds: 0.000_05, isAlone: false)
        expect(!policy.isInPlace)
    }

    @Test func `a disk that is long busy now and then blocks the loop in one of its pauses only`() {
        var policy = SyncPolicy()
        var (blocked, waited) = (0, 0.0)
        for count in 1...100_000 {
            let seconds = count % 1_000 == 0 ? 0.5 : 0.000_05
            if policy.isInPlace, seconds > SyncPolicy.long { blocked += 1 }
            policy.note(seconds: seconds, isAlone: true)
            waited += seconds
        }
        expect(blocked, is: 1)
        expect(waited > 0.5 * SyncPolicy.patience)
    }

    @Test func `a disk with a pause of 12 ms in each second is written in place for the most part`()
    {
        var policy = SyncPolicy()
        var inPlace = 0
        for count in 1...100_000 {
            if policy.isInPlace { inPlace += 1 }
            policy.note(seconds: count % 10_000 == 0 ? 0.012 : 0.000_1, isAlone: true)
        }
        expect(inPlace > 80_000)
    }

    @Test func `a disk of which each hundredth sync is long never blocks the loop`() {
        var policy = SyncPolicy()
        for count in 1...10_000 {
            let seconds = count % 100 == 0 ? 0.5 : 0.000_05
            expect(!policy.isInPlace || seconds < SyncPolicy.long)
            policy.note(seconds: seconds, isAlone: true)
        }
    }

    @Test func `a disk that has become quick is written in place again`() {
        var policy = policy(1_000, seconds: 0.5)
        let seconds = 0.001
        for _ in 0..<Int(SyncPolicy.maxOwed / seconds) + 100 {
            policy.note(seconds: seconds, isAlone: true)
        }
        expect(policy.isInPlace)
    }

    @Test func `one slow sync in place is the last one for a while`() {
        var policy = policy(10 * SyncPolicy.enough, seconds: 0.000_05)
        expect(policy.isInPlace)
        policy.note(seconds: 0.3, isAlone: true)
        expect(!policy.isInPlace)
        for _ in 1..<SyncPolicy.enough { policy.note(seconds: 0.000_05, isAlone: true) }
        expect(!policy.isInPlace)
    }
}
