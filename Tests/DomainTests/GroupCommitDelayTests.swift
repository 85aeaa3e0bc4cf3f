import Testing

@testable import BeemedDomain

struct GroupCommitDelayTests {
    private let now = Monotonic(milliseconds: 1_000)

    @Test func `a batch waits for those just answered, an eighth of a sync at most`() throws {
        let gathering = try require(
            GroupCommitDelay(after: 32, waiting: 30, seconds: 0.02, at: now))
        expect(gathering.end, is: Monotonic(milliseconds: 1_003))
        expect(gathering.holds(30, at: now))
        expect(gathering.holds(61, at: Monotonic(milliseconds: 1_002)))
        expect(!gathering.holds(62, at: now), "all are back")
        expect(!gathering.holds(30, at: Monotonic(milliseconds: 1_003)), "it lasted long enough")
    }

    @Test func `nothing waits on a quick disk, or where nobody else sends`() {
        expect(GroupCommitDelay(after: 32, waiting: 30, seconds: 0.003, at: now) == nil)
        expect(GroupCommitDelay(after: 1, waiting: 0, seconds: 0.02, at: now) == nil)
    }

    @Test func `a disk that takes for ever delays a batch by milliseconds`() throws {
        let gathering = try require(GroupCommitDelay(after: 1, waiting: 1, seconds: 30, at: now))
        expect(gathering.end, is: Monotonic(milliseconds: 1_004))
    }
}
