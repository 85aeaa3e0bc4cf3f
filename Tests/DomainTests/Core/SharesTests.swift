import Testing

@testable import BeemedDomain

struct SharesTests {
    /// A user has at most four times the free space, whatever the others hold.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `allows each user its share and no more`(_ seed: UInt64) {
        var chance = Randomness(seed: seed)
        let shares = Shares<Int>(capacity: 1_000)
        var held: [Int: Int] = [:]
        var (allowed, refused) = (0, 0)
        for _ in 0..<2_000 {
            let user = Int.random(in: 0..<4, using: &chance)
            let free = 1_000 - held.values.reduce(0, +)
            let mayAdd = held[user, default: 0] < 4 * free
            expect(shares.allows(user), is: mayAdd)
            if mayAdd { allowed += 1 } else { refused += 1 }
            if mayAdd, held[user] == nil || Int.random(in: 0..<16, using: &chance) > 0 {
                let bytes = Int.random(in: 1...60, using: &chance)
                shares.change(bytes, of: user)
                held[user, default: 0] += bytes
            } else if let bytes = held.removeValue(forKey: user) {
                shares.change(-bytes, of: user)
            }
        }
        expect(allowed > 0 && refused > 0)
    }
}
