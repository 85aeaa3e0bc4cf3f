/// Everybody who waits is told once, in whatever order the words come.
import BeemedDomain
import Testing

@testable import BeemedRelay

@Suite struct WaitersTests {
    @Test(arguments: [1, 2, 3]) func `gives back what was put in, once`(_ disorder: Int) {
        var waiters = Waiters<Int>()
        var open: [(ticket: Ticket, waiter: Int)] = []
        for waiter in 0..<20_000 {
            open.append((waiters.add(waiter), waiter))
            guard waiter % 7 != 3 else { continue }
            // Mostly the one that waits longest, and now and then one of the others.
            let place = waiter % 5 == 0 ? min(open.count - 1, waiter % (disorder * 100)) : 0
            let (ticket, expected) = open.remove(at: place)
            #expect(waiters.take(ticket) == expected)
            #expect(waiters.take(ticket) == nil)
        }
        #expect(waiters.removeAll() == open.map(\.waiter))
        for (ticket, _) in open { #expect(waiters.take(ticket) == nil) }
        let ticket = waiters.add(7)
        #expect(waiters.take(ticket) == 7)
        #expect(waiters.take(Ticket(ticket.value + 1)) == nil)
    }
}
