/// The loop waits for the disk only where that delays nobody.
import Testing

@testable import BeemedDomain

struct SyncPolicyTests {
    /// A policy that knows the disk, and that many batches later.
    private func policy(
        _ count: Int = SyncPolicy.enough, seconds: Double, _ batch: SyncPolicy.Batch
    ) -> SyncPolicy {
        var policy = SyncPolicy()
        for _ in 0..<SyncPolicy.proof { policy.note(seconds: 0.003, .mixed(1)) }
        for _ in 0..<count { policy.note(seconds: seconds, batch) }
        return policy
    }

    @Test func `single presses on a fast disk are written in place`() {
        let enough = SyncPolicy.enough
        expect(!policy(enough - 1, seconds: 0.001, .alone).isInPlace)
        expect(policy(enough, seconds: 0.001, .alone).isInPlace)
        expect(!policy(10 * enough, seconds: 0.003, .alone).isInPlace)
    }

    @Test func `presses beside other requests are written in place on a quick disk only`() {
        let many = 10 * SyncPolicy.enough
        expect(policy(many, seconds: 0.000_05, .mixed(64)).isInPlace)
        expect(!policy(many, seconds: 0.000_3, .mixed(64)).isInPlace)
    }

    @Test func `many presses are written in place where a sync is quicker than their work`() {
        let many = 10 * SyncPolicy.enough
        expect(policy(many, seconds: 0.000_25, .presses(32)).isInPlace)
        expect(!policy(many, seconds: 0.000_25, .presses(16)).isInPlace)
        expect(!policy(many, seconds: 0.003, .presses(1_000)).isInPlace)
    }

    @Test func `another request ends writing in place on a disk that is not quick`() {
        var policy = policy(10 * SyncPolicy.enough, seconds: 0.000_25, .presses(64))
        expect(policy.isInPlace)
        policy.note(seconds: 0.000_25, .mixed(64))
        expect(!policy.isInPlace)
    }

    @Test func `a second device ends writing in place on a disk that is not quick`() {
        var policy = policy(seconds: 0.001, .alone)
        policy.note(seconds: 0.001, .presses(1))
        expect(!policy.isInPlace)
    }

    @Test(arguments: [SyncPolicy.Batch.alone, .presses(32), .mixed(1)])
    func `a disk that is long busy now and then blocks the loop in one of its pauses only`(
        _ batch: SyncPolicy.Batch
    ) {
        var policy = SyncPolicy()
        var (blocked, waited) = (0, 0.0)
        for count in 1...100_000 {
            let seconds = count % 1_000 == 0 ? 0.5 : 0.000_05
            if policy.isInPlace, seconds > SyncPolicy.long { blocked += 1 }
            policy.note(seconds: seconds, batch)
            waited += seconds
        }
        expect(blocked, is: 1)
        expect(waited > 0.5 * SyncPolicy.patience)
    }

    /// The share of batches in place on a disk with a pause of 12 ms in each second.
    private func shareInPlace(seconds: Double, _ batch: SyncPolicy.Batch) -> Double {
        var policy = SyncPolicy()
        var inPlace = 0
        for count in 1...100_000 {
            if policy.isInPlace { inPlace += 1 }
            let isPause = count % Int(1 / seconds) == 0
            policy.note(seconds: isPause ? 0.012 : seconds, batch)
        }
        return Double(inPlace) / 100_000
    }

    @Test func `the pauses of a disk matter less where only presses come`() {
        expect(shareInPlace(seconds: 0.000_1, .alone) > 0.8)
        expect(shareInPlace(seconds: 0.000_1, .presses(32)) > 0.8)
        expect(shareInPlace(seconds: 0.000_1, .mixed(1)) < 0.2)
    }

    @Test(arguments: [SyncPolicy.Batch.alone, .presses(32), .mixed(1)])
    func `a disk of which each hundredth sync is long never blocks the loop`(
        _ batch: SyncPolicy.Batch
    ) {
        var policy = SyncPolicy()
        for count in 1...10_000 {
            let seconds = count % 100 == 0 ? 0.5 : 0.000_05
            expect(!policy.isInPlace || seconds < SyncPolicy.long)
            policy.note(seconds: seconds, batch)
        }
    }

    @Test func `a disk that has become quick is written in place again`() {
        var policy = policy(1_000, seconds: 0.5, .alone)
        let seconds = 0.001
        for _ in 0..<Int(SyncPolicy.maxOwed / seconds) + 100 {
            policy.note(seconds: seconds, .alone)
        }
        expect(policy.isInPlace)
    }

    @Test(arguments: [SyncPolicy.Batch.alone, .presses(32), .mixed(1)])
    func `one slow sync in place is the last one for a while`(_ batch: SyncPolicy.Batch) {
        var policy = policy(10 * SyncPolicy.enough, seconds: 0.000_05, batch)
        expect(policy.isInPlace)
        policy.note(seconds: 0.3, batch)
        expect(!policy.isInPlace)
        for _ in 1..<SyncPolicy.enough { policy.note(seconds: 0.000_05, batch) }
        expect(!policy.isInPlace)
    }
}

extension SyncPolicy.Batch {
    static let alone = SyncPolicy.Batch(isAlone: true)

    static func presses(_ records: Int) -> SyncPolicy.Batch { SyncPolicy.Batch(records: records) }

    static func mixed(_ records: Int) -> SyncPolicy.Batch {
        SyncPolicy.Batch(records: records, isMixed: true)
    }
}
