/// A record's place in the journal. Numbers are contiguous over the life of a store, so a gap
/// names what is missing.
package struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64

    /// The first record of a store has number 1.
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
