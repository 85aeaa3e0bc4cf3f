/// A record's position in the journal. Numbers are contiguous over the life of a store, so a gap
/// identifies the missing records.
package struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64

    /// Creates a number; the first record of a store has number 1.
    package init(_ value: UInt64) {
        self.value = value
    }

    /// The number after this one.
    package var next: SequenceNumber { SequenceNumber(value + 1) }

    package var description: String { "\(value)" }

    package static func < (left: SequenceNumber, right: SequenceNumber) -> Bool {
        left.value < right.value
    }
}
