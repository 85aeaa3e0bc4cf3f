/// Finds the lines in a segment's bytes, good and bad. Pure: bytes in, pieces out.
///
/// One bad line costs one line. When an LF is what was damaged, two records stand in one line;
/// the TAB before the check value is the second mark by which the first of them is found.
struct SegmentScan {
    /// A stretch of the segment.
    struct Piece: Sendable {
        var range: Range<Int>
        var content: Content
    }

    enum Content: Sendable {
        case line(Line)
        case damaged(LineFault)
    }

    /// All of the segment, in order, without gaps.
    private(set) var pieces: [Piece] = []

    private static let tab: UInt8 = 0x09
    private static let lineFeed: UInt8 = 0x0A
    /// TAB and eight hex digits.
    private static let tailBytes = 9

    init(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: SegmentScan.lineFeed) ?? bytes.count
            scanLine(bytes, start, end)
            start = end + 1
        }
    }

    /// - Parameter end: where the LF stands, or the end of the bytes if there is none.
    private mutating func scanLine(_ bytes: [UInt8], _ start: Int, _ end: Int) {
        let isEnded = end < bytes.count
        if isEnded, let line = try? Line(bytes[start..<end]) {
            return add(start..<(end + 1), .line(line))
        }
        var rest = start
        var tab = start
        while let next = bytes[tab..<end].firstIndex(of: SegmentScan.tab) {
            tab = next + 1
            let mark = next + SegmentScan.tailBytes
            // A whole record needs its LF, or the damaged byte that stands in its place.
            guard mark < bytes.count, mark < end || isEnded else { break }
            if let line = try? Line(bytes[rest..<mark]) {
                add(rest..<(mark == end ? end + 1 : mark), .line(line))
                if mark < end { add(mark..<(mark + 1), .damaged(.unframed)) }
            } else if mark < end {
                add(rest..<(mark + 1), .damaged(.check))
            } else {
                break
            }
            rest = mark + 1
            tab = rest
            if tab >= end { break }
        }
        let stop = isEnded ? end + 1 : end
        if rest < stop { add(rest..<stop, .damaged(fault(bytes[rest..<end]))) }
    }

    private func fault(_ bytes: ArraySlice<UInt8>) -> LineFault {
        do throws(LineFault) {
            _ = try Line(bytes)
            return .unframed
        } catch {
            return error
        }
    }

    private mutating func add(_ range: Range<Int>, _ content: Content) {
        if case .damaged = content, let last = pieces.last,
            case .damaged(let fault) = last.content
        {
            pieces[pieces.count - 1] = Piece(
                range: last.range.lowerBound..<range.upperBound, content: .damaged(fault))
            return
        }
        pieces.append(Piece(range: range, content: content))
    }
}
