/// Whoever waits for the disk in place must be the only one who waits.
import Testing

@testable import BeemedDomain

@Suite struct SyncPolicyTests {
    private func proven() -> SyncPolicy {
        var syncPolicy = SyncPolicy()
        for _ in 0..<SyncPolicy.enough { syncPolicy.note(seconds: 0.0001, isAlone: true) }
        return syncPolicy
    }

    @Test func `quick and lonely batches in a row are proof`() {
        var syncPolicy = SyncPolicy()
        for _ in 1..<SyncPolicy.enough {
            syncPolicy.note(seconds: 0.0001, isAlone: true)
            #expect(!syncPolicy.isInPlace)
        }
        syncPolicy.note(seconds: 0.0001, isAlone: true)
        #expect(syncPolicy.isInPlace)
    }

    @Test(arguments: [(0.0001, false), (0.01, true), (0.01, false)])
    func `one slow or joined batch begins the proof anew`(_ seconds: Double, _ isAlone: Bool) {
        var syncPolicy = SyncPolicy()
        for _ in 1..<SyncPolicy.enough { syncPolicy.note(seconds: 0.0001, isAlone: true) }
        syncPolicy.note(seconds: seconds, isAlone: isAlone)
        syncPolicy.note(seconds: 0.0001, isAlone: true)
        #expect(!syncPolicy.isInPlace)
    }

    @Test func `one slow batch in place is the last one for a while`() {
        var syncPolicy = proven()
        syncPolicy.noteInPlace(seconds: 0.0001)
        #expect(syncPolicy.isInPlace)
        syncPolicy.noteInPlace(seconds: 0.3)
        #expect(!syncPolicy.isInPlace)
    }

    @Test func `the proof is good for a term`() {
        var syncPolicy = proven()
        for _ in 0..<SyncPolicy.term {
            #expect(syncPolicy.isInPlace)
            syncPolicy.noteInPlace(seconds: 0.0001)
        }
        #expect(!syncPolicy.isInPlace)
    }
}
