/// Reads the chunks of an answer (RFC 9112 section 7.1) as they come.
struct ChunkReader {
    /// The missing bytes of the present chunk, with its line end; nil before its size.
    private var rest: Int?
    private(set) var isComplete = false

    /// The longest line with a chunk's size, in bytes.
    private static let longestLine = 64

    /// Removes what it has read.
    ///
    /// - Returns: the content; nil when these are no chunks, or one is longer than
    ///   `ResponseReader.longest`.
    mutating func take(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        while !isComplete {
            if let left = rest {
                guard !bytes.isEmpty else { break }
                let count = min(left, bytes.count)
                content += bytes.prefix(min(count, max(0, left - 2)))
                bytes = bytes.dropFirst(count)
                rest = left == count ? nil : left - count
            } else {
                guard let end = bytes.firstIndex(of: ASCII.lineFeed) else {
                    return bytes.count > ChunkReader.longestLine ? nil : content
                }
                guard let size = ChunkReader.size(bytes[..<end]) else { return nil }
                bytes = bytes[(end + 1)...]
                isComplete = size == 0
                rest = size + 2
            }
        }
        return content
    }

    /// The size that the line says, without extensions.
    private static func size(_ line: ArraySlice<UInt8>) -> Int? {
        let digits = line.prefix { $0 != ASCII.semicolon && $0 != ASCII.carriageReturn }
        guard digits.allSatisfy({ ASCII.hexValue($0) != nil }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
            size <= ResponseReader.longest
        else { return nil }
        return size
    }
}
