/// The loop waits for the disk only where that delays nobody.
import Testing

@testable import BeemedDomain

@Suite struct SyncPolicyTests {
    /// A policy that knows the disk, and that many batches later.
    private func policy(
        _ count: Int = SyncPolicy.enough, seconds: Double, isAlone: Bool
    ) -> SyncPolicy {
        var policy = SyncPolicy()
        for _ in 0..<SyncPolicy.proof { policy.note(seconds: 0.003, isAlone: false) }
        for _ in 0..<count { policy.note(seconds: seconds, isAlone: isAlone) }
        return policy
    }

    @Test func `single presses on a fast disk are written in place`() {
        let enough = SyncPolicy.enough
        #expect(!policy(enough - 1, seconds: 0.001, isAlone: true).isInPlace)
        #expect(policy(enough, seconds: 0.001, isAlone: true).isInPlace)
        #expect(!policy(10 * enough, seconds: 0.003, isAlone: true).isInPlace)
    }

    @Test func `many presses at once are written in place on a quick disk only`() {
        let many = 10 * SyncPolicy.enough
        #expect(policy(many, seconds: 0.000_05, isAlone: false).isInPlace)
        #expect(!policy(many, seconds: 0.000_3, isAlone: false).isInPlace)
    }

    @Test func `a second device ends writing in place on a disk that is not quick`() {
        var policy = policy(seconds: 0.001, isAlone: true)
        policy.note(seconds: 0.001, isAlone: false)
        #expect(!policy.isInPlace)
    }

    @Test(arguments: [true, false])
    func `a disk that is long busy now and then blocks the loop in one of its pauses only`(
        _ isAlone: Bool
    ) {
        var policy = SyncPolicy()
        var (blocked, waited) = (0, 0.0)
        for count in 1...100_000 {
            let seconds = count % 1_000 == 0 ? 0.5 : 0.000_05
            if policy.isInPlace, seconds > SyncPolicy.long { blocked += 1 }
            policy.note(seconds: seconds, isAlone: isAlone)
            waited += seconds
        }
        #expect(blocked == 1)
        #expect(waited > 0.5 * SyncPolicy.patience)
    }

    /// The share of batches in place on a disk with a pause of 12 ms in each second.
    private func shareInPlace(seconds: Double, isAlone: Bool) -> Double {
        var policy = SyncPolicy()
        var inPlace = 0
        for count in 1...100_000 {
            if policy.isInPlace { inPlace += 1 }
            let isPause = count % Int(1 / seconds) == 0
            policy.note(seconds: isPause ? 0.012 : seconds, isAlone: isAlone)
        }
        return Double(inPlace) / 100_000
    }

    @Test func `the pauses of a disk matter less to a client that sends all requests`() {
        #expect(shareInPlace(seconds: 0.000_1, isAlone: true) > 0.8)
        #expect(shareInPlace(seconds: 0.000_1, isAlone: false) < 0.2)
    }

    @Test(arguments: [true, false])
    func `a disk of which each hundredth sync is long never blocks the loop`(_ isAlone: Bool) {
        var policy = SyncPolicy()
        for count in 1...10_000 {
            let seconds = count % 100 == 0 ? 0.5 : 0.000_05
            #expect(!policy.isInPlace || seconds < SyncPolicy.long)
            policy.note(seconds: seconds, isAlone: isAlone)
        }
    }

    @Test func `a disk that has become quick is written in place again`() {
        var policy = policy(1_000, seconds: 0.5, isAlone: true)
        let seconds = 0.001
        for _ in 0..<Int(SyncPolicy.mostOwed / seconds) + 100 {
            policy.note(seconds: seconds, isAlone: true)
        }
        #expect(policy.isInPlace)
    }

    @Test(arguments: [true, false])
    func `one slow sync in place is the last one for a while`(_ isAlone: Bool) {
        var policy = policy(10 * SyncPolicy.enough, seconds: 0.000_05, isAlone: isAlone)
        #expect(policy.isInPlace)
        policy.note(seconds: 0.3, isAlone: isAlone)
        #expect(!policy.isInPlace)
        for _ in 1..<SyncPolicy.enough { policy.note(seconds: 0.000_05, isAlone: isAlone) }
        #expect(!policy.isInPlace)
    }
}
