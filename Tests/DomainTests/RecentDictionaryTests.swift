import Testing

@testable import BeemedDomain

@Suite struct RecentDictionaryTests {
    /// The same changes to both, drawn by a seed.
    @Test(arguments: 0..<20 as Range<UInt64>) func `holds what a dictionary holds`(seed: UInt64) {
        var randomness = Randomness(seed: seed)
        var (table, model) = (RecentDictionary<Int, [Int]>(), [Int: [Int]]())
        for step in 0..<2_000 {
            // Mostly the key of the step before, and now and then enough keys to grow.
            let key = Int(randomness.next() % (step % 100 == 0 ? 500 : 4))
            switch randomness.next() % 8 {
            case 0:
                table[key] = nil
                model[key] = nil
            case 1:
                #expect(table.removeValue(forKey: key) == model.removeValue(forKey: key))
            case 2:
                table[key] = [step]
                model[key] = [step]
            default:
                table[key, default: []].append(step)
                model[key, default: []].append(step)
            }
            #expect(table[key] == model[key])
        }
        #expect(table.all == model)
        #expect(table.count == model.count)
    }

    @Test func `a copy changes nothing in the original`() {
        var table = RecentDictionary<Int, Int>()
        table[1, default: 0] += 1
        var copy = table
        copy[1, default: 0] += 1
        #expect(table[1] == 1)
        #expect(copy[1] == 2)
        table[1, default: 0] += 5
        #expect(table.all == [1: 6])
        #expect(copy.all == [1: 2])
    }
}
