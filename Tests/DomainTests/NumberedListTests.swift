import Testing

@testable import BeemedDomain

struct NumberedListTests {
    @Test func `has what a dictionary would have, in order`() {
        var chance = Randomness(seed: 20_261_128)
        for _ in 0..<50 {
            var (list, dictionary) = (NumberedList<UInt64>(), [SequenceNumber: UInt64]())
            var last: UInt64 = 0
            for _ in 0..<500 {
                let some = SequenceNumber(UInt64.random(in: 0...last, using: &chance))
                switch UInt64.random(in: 0..<10, using: &chance) {
                case 0..<4:
                    last = (dictionary.keys.max()?.value ?? 0) + chance.next() % 3 + 1
                    list.append(last, SequenceNumber(last))
                    dictionary[SequenceNumber(last)] = last
                default:
                    list.remove(some)
                    dictionary[some] = nil
                }
                expect(list.count, is: dictionary.count)
                expect(list[some], is: dictionary[some])
            }
            let sorted = dictionary.sorted { $0.key < $1.key }
            expect(Array(list.all), is: sorted.map(\.value))
            let end = SequenceNumber(last / 2)
            let before = sorted.filter { $0.key < end }.map(\.value)
            expect(Array(list.newestFirst(before: end)), is: before.reversed())
        }
    }
}
