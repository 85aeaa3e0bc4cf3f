/// The loop waits for a fast disk only.
import Testing

@testable import BeemedDomain

@Suite struct SyncPolicyTests {
    private func proven() -> SyncPolicy {
        var syncPolicy = SyncPolicy()
        for _ in 0..<SyncPolicy.enough { syncPolicy.note(seconds: 0.0001) }
        return syncPolicy
    }

    @Test func `fast batches in a row are proof`() {
        var syncPolicy = SyncPolicy()
        for _ in 1..<SyncPolicy.enough {
            syncPolicy.note(seconds: 0.0001)
            #expect(!syncPolicy.isInPlace)
        }
        syncPolicy.note(seconds: 0.0001)
        #expect(syncPolicy.isInPlace)
    }

    @Test func `one slow batch begins the proof anew`() {
        var syncPolicy = SyncPolicy()
        for _ in 1..<SyncPolicy.enough { syncPolicy.note(seconds: 0.0001) }
        syncPolicy.note(seconds: 0.01)
        syncPolicy.note(seconds: 0.0001)
        #expect(!syncPolicy.isInPlace)
    }

    @Test func `one slow batch in place is the last one for a while`() {
        var syncPolicy = proven()
        syncPolicy.noteInPlace(seconds: 0.0001)
        #expect(syncPolicy.isInPlace)
        syncPolicy.noteInPlace(seconds: 0.3)
        #expect(!syncPolicy.isInPlace)
        syncPolicy.note(seconds: 0.0001)
        #expect(!syncPolicy.isInPlace)
    }
}
