import RelayTrunk

/// Reads a file line by line, a bounded part of it at a time: a file of white space, or of one line
/// without an end, must not hold up anything else.
struct LineReader: Sendable {
    /// A line without its end.
    struct Line: Sendable {
        var text: ArraySlice<UInt8>
        /// From 1.
        var number: Int
    }

    private let bytes: [UInt8]
    private var index: Int
    private var line = 1
    /// Whether the rest of a line that is too long is left out.
    private var isSkipping = false

    /// The longest line, in bytes: no event has as many.
    static let mostBytes = 65_536
    /// Bytes that one step passes over without a line, about.
    static let stepBytes = 4_096

    /// A reader before the first line.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    var isAtEnd: Bool { index >= bytes.count }

    /// The next line that is not blank; nil at the end, and after a step without one.
    ///
    /// - Throws: `ImportFault` for a line that is too long; reading goes on behind it.
    mutating func next() throws(ImportFault) -> Line? {
        let stop = index + LineReader.stepBytes
        while !isAtEnd, index < stop {
            let limit = min(bytes.count, index + LineReader.mostBytes)
            guard let end = bytes[index..<limit].firstIndex(of: 0x0A) ?? endOfFile(limit) else {
                index = limit
                guard !isSkipping else { return nil }
                isSkipping = true
                throw ImportFault(
                    line: line, detail: "the line has more than \(LineReader.mostBytes) bytes")
            }
            let found = Line(text: bytes[index..<end], number: line)
            index = end + 1
            line += 1
            if isSkipping {
                isSkipping = false
            } else if found.text.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) {
                return found
            }
        }
        return nil
    }

    private func endOfFile(_ limit: Int) -> Int? { limit == bytes.count ? limit : nil }
}
