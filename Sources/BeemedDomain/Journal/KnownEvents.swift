/// The numbers of the events that stay in the journal when it is compacted, a bit for each.
package struct KnownEvents: Sendable {
    /// 64 numbers in each word, by their common upper bits.
    private var words: [UInt64: UInt64] = [:]

    /// Creates the set of these numbers.
    ///
    /// - Parameter count: about how many there are.
    package init(_ numbers: some Sequence<SequenceNumber>, count: Int) {
        words.reserveCapacity(count / 32)
        // Most neighbours share a word, and looking up a word takes longer than all else: the loop
        // makes this set, and presses wait meanwhile.
        var (place, word) = (UInt64.max, UInt64(0))
        for number in numbers {
            if number.value >> 6 != place {
                if word != 0 { words[place, default: 0] |= word }
                (place, word) = (number.value >> 6, 0)
            }
            word |= 1 << (number.value & 63)
        }
        if word != 0 { words[place, default: 0] |= word }
    }

    func contains(_ number: SequenceNumber) -> Bool {
        words[number.value >> 6].map { $0 >> (number.value & 63) & 1 == 1 } ?? false
    }
}
