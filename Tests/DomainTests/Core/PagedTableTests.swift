/// A table by number must behave as the dictionary that it stands for.
import Testing

@testable import BeemedDomain

@Suite struct PagedTableTests {
    @Test func `does what a dictionary does`() {
        for seed in 0..<20 as Range<UInt64> {
            var chance = Randomness(seed: seed)
            var table = PagedTable<[Int]>()
            var dictionary: [SequenceNumber: [Int]] = [:]
            for step in 0..<3_000 {
                let number = SequenceNumber(.random(in: 1...1_500, using: &chance))
                switch Int.random(in: 0..<4, using: &chance) {
                case 0:
                    table[number] = nil
                    dictionary[number] = nil
                case 1:
                    table[number]?.append(step)
                    dictionary[number]?.append(step)
                default:
                    table[number] = [step]
                    dictionary[number] = [step]
                }
                #expect(table[number] == dictionary[number])
            }
            #expect(table.count == dictionary.count)
            #expect(table.numbers.sorted() == dictionary.keys.sorted())
            for number in 1...1_500 as ClosedRange<UInt64> {
                let number = SequenceNumber(number)
                #expect(table[number] == dictionary[number])
            }
        }
    }

    @Test func `takes the places of what was removed again`() {
        var table = PagedTable<Int>()
        for number in 1...100_000 as ClosedRange<UInt64> {
            table[SequenceNumber(number)] = Int(number)
            if number > 10 { table[SequenceNumber(number - 10)] = nil }
        }
        #expect(table.count == 10)
        #expect(table.pageCount == 1)
    }

    @Test func `a number that is not there leaves nothing behind`() {
        var table = PagedTable<[Int]>()
        table[7]?.append(1)
        #expect(table.count == 0)
        #expect(table[7] == nil)
    }
}
