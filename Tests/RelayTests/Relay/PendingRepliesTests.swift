/// Everybody who waits is told once, in whatever order the words come.
import BeemedDomain
import Testing

@testable import RelayTrunk

@Suite struct PendingRepliesTests {
    @Test(arguments: [1, 2, 3]) func `gives back what was put in, once`(_ disorder: Int) {
        var pendingReplies = PendingReplies<Int>()
        var open: [(replyID: ReplyID, waiter: Int)] = []
        for waiter in 0..<20_000 {
            open.append((pendingReplies.add(waiter), waiter))
            guard waiter % 7 != 3 else { continue }
            // Mostly the one that waits longest, and now and then one of the others.
            let place = waiter % 5 == 0 ? min(open.count - 1, waiter % (disorder * 100)) : 0
            let (replyID, expected) = open.remove(at: place)
            #expect(pendingReplies.take(replyID) == expected)
            #expect(pendingReplies.take(replyID) == nil)
        }
        #expect(pendingReplies.removeAll() == open.map(\.waiter))
        for (replyID, _) in open { #expect(pendingReplies.take(replyID) == nil) }
        let replyID = pendingReplies.add(7)
        #expect(pendingReplies.take(replyID) == 7)
        #expect(pendingReplies.take(ReplyID(replyID.value + 1)) == nil)
    }
}
