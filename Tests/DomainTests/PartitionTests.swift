import Testing

@testable import BeemedDomain

struct PartitionTests {
    @Test func `the second part`() {
        // Finds where the second part begins.
        for count in 0...20 {
            // A slice and a range, whose indices do not begin at zero.
            let slice = Array(0..<(count + 3))[3...]
            let range = 3..<(count + 3)
            for first in 2...(count + 4) {
                let expected = min(max(first, 3), count + 3)
                expect(slice.partitioningIndex { $0 >= first }, is: expected, "\(count)")
                expect(range.partitioningIndex { $0 >= first }, is: expected, "\(count)")
            }
        }
        part("asks for a few elements only") {
            var asked = 0
            let index = (0..<1_000_000).partitioningIndex { element in
                asked += 1
                return element >= 765_432
            }
            expect(index, is: 765_432)
            expect(asked <= 20)
        }
    }
}
