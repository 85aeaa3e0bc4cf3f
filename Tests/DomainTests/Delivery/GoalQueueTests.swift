import Testing

@testable import BeemedDomain

/// Each event is in a goal's queue once, in the order of acceptance, behind those under way.
struct GoalQueueTests {
    private func queue(_ numbers: [UInt64]) -> GoalQueue {
        let queue = GoalQueue()
        for number in numbers { queue.add(SequenceNumber(number)) }
        return queue
    }

    private func contents(_ queue: GoalQueue) -> [UInt64] {
        queue.waiting.prefix(queue.waiting.count).map(\.value)
    }

    @Test func `events are sorted and counted once`() {
        expect(contents(queue([5, 7, 6, 7, 5, 9, 1])), is: [1, 5, 6, 7, 9])
    }

    @Test func `what is under way is not added again behind an older event`() {
        let queue = queue([10])
        expect(queue.start(batchThreshold: 20) { _ in nil }, is: [SequenceNumber(10)])
        for number in [5, 10, 7, 10, 12] as [UInt64] { queue.add(SequenceNumber(number)) }
        expect(contents(queue), is: [10, 5, 7, 12])
        queue.finish(gone: [], refused: [])
        expect(contents(queue), is: [5, 7, 10, 12])
    }
}
