/// The numbers of the events that stay in the journal when it is compacted, a bit for each.
package struct KnownEvents: Sendable {
    /// 64 numbers in each word, by their common upper bits.
    private var words: [UInt64: UInt64] = [:]

    /// Creates the set of these numbers.
    ///
    /// - Parameter count: about how many there are.
    package init(_ numbers: some Sequence<SequenceNumber>, count: Int) {
        words.reserveCapacity(count / 32)
        for number in numbers { words[number.value >> 6, default: 0] |= 1 << (number.value & 63) }
    }

    func contains(_ number: SequenceNumber) -> Bool {
        words[number.value >> 6].map { $0 >> (number.value & 63) & 1 == 1 } ?? false
    }
}
