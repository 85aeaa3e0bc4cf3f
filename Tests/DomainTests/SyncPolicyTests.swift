/// The loop waits for the disk only where that delays nobody.
import Testing

@testable import BeemedDomain

@Suite struct SyncPolicyTests {
    /// A policy after that many batches.
    private func policy(
        _ count: Int = SyncPolicy.enough, seconds: Double, isAlone: Bool
    ) -> SyncPolicy {
        var policy = SyncPolicy()
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
    func `one slow sync in place is the last one for a while`(_ isAlone: Bool) {
        var policy = policy(10 * SyncPolicy.enough, seconds: 0.000_05, isAlone: isAlone)
        #expect(policy.isInPlace)
        policy.note(seconds: 0.3, isAlone: isAlone)
        #expect(!policy.isInPlace)
        for _ in 1..<SyncPolicy.enough { policy.note(seconds: 0.000_05, isAlone: isAlone) }
        #expect(!policy.isInPlace)
    }
}
