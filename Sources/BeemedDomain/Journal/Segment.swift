extension SegmentLog {
    /// The file that is appended to.
    struct Segment: Sendable {
        let number: Int
        /// The number of its first record.
        let first: SequenceNumber
        let file: FileNumber
        let name: StoredFile
        /// Bytes up to the end of the last successful batch.
        var size: Int
        /// The size of the file: beyond its lines there may be preallocated space, which is blank
        /// lines.
        var length: Int
        /// The last bytes of its lines: a checksum, which tells them from those of another file.
        private(set) var end: [UInt8]
        /// The size from which growth is counted.
        var baseSize = 0

        /// A file that has just got its name.
        init(_ number: Int, _ first: SequenceNumber, _ made: borrowing AtomicFileWriter) {
            (self.number, self.first, file) = (number, first, made.file)
            (name, size, length, end) = (.segment(number), made.size, made.size, made.end)
        }

        var part: Ring.Part { Ring.Part(number: number, first: first, bytes: size) }

        /// The file has these lines behind the others.
        mutating func add(_ lines: borrowing Span<UInt8>) {
            size += lines.count
            end = Array(copying: lines.extracting(last: Segment.endBytes))
        }

        /// As many bytes as the checksum at the end of a line, with its marks.
        static let endBytes = 10
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
        guard name.hasSuffix(".jnl"), let number = Int(name.dropLast(4)), number >= 0,
            live(number) == name
        else { return nil }
        // A number whose successor would overflow was never written.
        return number < 1 << 31 ? number : nil
    }

    static func isTemporary(_ name: String) -> Bool { name.hasSuffix(".tmp") }

    static func digits(_ segment: Int) -> String {
        let digits = "\(segment)"
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
