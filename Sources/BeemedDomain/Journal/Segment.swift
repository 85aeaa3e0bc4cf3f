extension SegmentLog {
    /// The file that is appended to.
    struct Segment: Sendable {
        /// Its bytes are those up to the end of the last successful batch.
        var part: Ring.Part
        let file: FileNumber
        /// The size from which growth is counted.
        var baseSize = 0

        /// A file that has just got its name.
        init(_ number: Int, _ first: SequenceNumber, _ made: (file: FileNumber, size: Int)) {
            part = Ring.Part(number: number, first: first, bytes: made.size)
            file = made.file
        }

        var name: StoredFile { .segment(part.number) }
    }
}

extension StoredFile {
    /// The segment of that number.
    static func segment(_ number: Int, in folder: Folder = .journal) -> StoredFile {
        StoredFile(folder, SegmentName.live(number))
    }
}

/// The names of the journal's files: `00000007.jnl`, and `.tmp` while it is being written.
enum SegmentName {
    static func live(_ segment: Int) -> String { digits(segment) + ".jnl" }

    static func temporary(_ segment: Int) -> String { digits(segment) + ".tmp" }

    /// The number of a live segment's file, or nil for any other name.
    static func number(_ name: String) -> Int? {
        guard isLike(name), let number = Int(name.dropLast(4)), live(number) == name else {
            return nil
        }
        // A number whose successor would overflow was never written.
        return number < 1 << 31 ? number : nil
    }

    /// Whether this is such a name, but for the number of digits.
    static func isLike(_ name: String) -> Bool {
        guard name.hasSuffix(".jnl"), name.utf8.count > 4 else { return false }
        return name.utf8.dropLast(4).allSatisfy { (0x30...0x39).contains($0) }
    }

    static func isTemporary(_ name: String) -> Bool { name.hasSuffix(".tmp") }

    static func digits(_ segment: Int) -> String {
        let digits = "\(segment)"
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
