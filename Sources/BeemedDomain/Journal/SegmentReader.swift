/// Finds the valid and damaged parts of a segment through a window: at most one line and one window
/// are in memory, however long the file or a line is.
///
/// A damaged line costs no other line. A line may begin at the start, after every LF, and at every
/// `{"t":"`, since damage may have destroyed the LF before it. A line ends eight digits after its
/// first TAB, because JSON contains no TAB. Blank lines are space that was preallocated behind the
/// lines, and belong to no piece, except in the middle of damage.
struct SegmentReader {
    /// A range of the segment.
    enum Piece: Sendable {
        /// A line with a valid checksum: its JSON, and its range including its LF, if there is one.
        case line(json: ArraySlice<UInt8>, Range<Int>)
        /// Bytes that are not a line.
        case damaged(Range<Int>)
    }

    /// Reads up to so many bytes from an offset; fewer only at the end.
    private let read: (Int, Int) throws(DiskError) -> [UInt8]
    private let window: Int
    private var buffer: [UInt8] = []
    /// The position in the file at which the buffer begins.
    private var base = 0
    /// The position in the buffer at which the next piece begins.
    private var position = 0
    private var isAtEnd = false
    private var badStarts = 0
    /// A valid line that was found after damage.
    private var held: Piece?

    private static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    /// From `position` on, at least this many bytes are in the buffer unless the file ends before.
    private static let lookahead = Line.longest + 64
    /// The maximum number of line starts tried between two LF: damage full of line starts must not
    /// take unlimited time.
    private static let maxStarts = 64

    /// How many bytes are read at once. For more an allocator gets new pages from the system each
    /// time, which takes longer than the reading.
    static let window = 1 << 16

    /// - Parameter window: how many bytes to read at once.
    init(_ disk: any Disk, _ file: StoredFile, window: Int = SegmentReader.window) {
        read = { (offset, count) throws(DiskError) in
            try disk.read(file, from: offset, count: count, "recover.read")
        }
        self.window = window
    }

    /// Reads lines in memory.
    init(_ lines: [UInt8]) {
        read = { (offset, count) throws(DiskError) in Array(lines.dropFirst(offset).prefix(count)) }
        window = SegmentReader.window
    }

    /// The first line of a file; nil if there is another piece.
    static func firstLine(of file: StoredFile, on disk: any Disk) throws(DiskError) -> Line? {
        var reader = SegmentReader(disk, file)
        guard case .line(let json, _)? = try reader.next() else { return nil }
        return Line(json: json)
    }

    /// The next piece, or nil at the end. The pieces are in order and complete but for blank lines,
    /// and two damaged ones never follow each other.
    mutating func next() throws(DiskError) -> Piece? {
        if let held {
            self.held = nil
            return held
        }
        var damage: Range<Int>?
        while true {
            try fill()
            if position == buffer.count { return damage.map { .damaged($0) } }
            if buffer[position] == SegmentReader.lineFeed {
                var end = position
                while end < buffer.count, buffer[end] == SegmentReader.lineFeed { end += 1 }
                position = end
            } else if let line = takeLine() {
                guard let damage else { return line }
                held = line
                return .damaged(damage)
            } else {
                let start = base + position
                position = nextStart()
                damage = (damage?.lowerBound ?? start)..<(base + position)
            }
        }
    }

    /// Reads more when the buffer has less than one line.
    private mutating func fill() throws(DiskError) {
        guard !isAtEnd, buffer.count - position < SegmentReader.lookahead else { return }
        base += position
        buffer.removeFirst(position)
        position = 0
        while !isAtEnd, buffer.count < SegmentReader.lookahead {
            let more = try read(base + buffer.count, window)
            isAtEnd = more.count < window
            buffer += more
        }
    }

    /// The line that begins here, if there is one.
    private mutating func takeLine() -> Piece? {
        let limit = min(buffer.count, position + Line.longest - Line.checkBytes - 1)
        // JSON contains no LF either, so the search for the TAB can end there.
        let end = find(SegmentReader.lineFeed, until: limit) ?? limit
        guard let tab = find(SegmentReader.tab, until: end),
            tab + Line.checkBytes <= buffer.count,
            let check = JSONReader.hex(
                buffer[(tab + 1)..<(tab + Line.checkBytes)], lowerOnly: true),
            check == CRC32C.of(buffer[position..<tab].span)
        else { return nil }
        let start = position
        position = tab + Line.checkBytes
        if position < buffer.count, buffer[position] == SegmentReader.lineFeed { position += 1 }
        badStarts = 0
        return .line(json: buffer[start..<tab], (base + start)..<(base + position))
    }

    /// The next possible start of a line, after bytes at `position` that are not a line.
    private mutating func nextStart() -> Int {
        badStarts += 1
        let limit = min(buffer.count, position + Line.longest)
        let end = find(SegmentReader.lineFeed, until: limit).map { $0 + 1 }
        let stop = end ?? limit
        if badStarts <= SegmentReader.maxStarts,
            let start = findStart(after: position, before: stop)
        {
            return start
        }
        if end != nil || limit == buffer.count && isAtEnd {
            badStarts = 0
            return stop
        }
        // A line start may cross the limit.
        return max(position + 1, stop - Line.start.count + 1)
    }

    /// Searches for a byte from `position` on.
    private func find(_ byte: UInt8, until limit: Int) -> Int? {
        position < limit ? buffer.span.firstIndex(of: byte, in: position..<limit) : nil
    }

    private func findStart(after position: Int, before stop: Int) -> Int? {
        let end = max(position + 1, stop - Line.start.count + 1)
        let wanted = Line.start
        var rest = position + 1..<end
        while let start = buffer.span.firstIndex(of: wanted[0], in: rest) {
            if wanted.span.equals(buffer.span, from: start) { return start }
            rest = start + 1..<end
        }
        return nil
    }
}
