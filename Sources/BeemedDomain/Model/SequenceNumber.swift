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

    /// The message about a journal with records up to this number, above `SequenceNumber.greatest`.
    package var forgery: String {
        "the journal has a record with a number that no relay has given (before \(value)): move "
            + "the file in journal/ that has it away, or restore the data folder from a backup"
    }

    /// The greatest number that a start goes on from, so that there are always numbers for more
    /// records: lines with 2^53 and above cannot be read.
    static let greatest = SequenceNumber(1 << 52)

    package var description: String { "\(value)" }

    package static func < (left: SequenceNumber, right: SequenceNumber) -> Bool {
        left.value < right.value
    }
}
