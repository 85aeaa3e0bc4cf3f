/// Decodes the chunked transfer coding (RFC 9112 section 7.1) strictly: framing that two parsers
/// read differently allows request smuggling.
struct ChunkedDecoder: Sendable {
    private enum State: Equatable {
        /// In the line with the chunk's size.
        case size
        /// In the chunk's data, with this many bytes missing.
        case data(missing: Int)
        /// In the CR LF after a chunk's data.
        case dataEnd
        /// In the fields after the last chunk.
        case trailer
        case complete
    }

    private var state = State.size
    private var chunks = 0
    private(set) var body: [UInt8] = []

    /// Chunks that content may have: a chunk of one byte costs as much as hundreds of bytes, and a
    /// device may send a press byte by byte.
    private static let maxChunks = 65_536

    /// Decodes as much of the input as possible. Returns how many bytes were consumed, and whether
    /// the body is complete.
    mutating func decode(
        _ input: borrowing Span<UInt8>, bodyBytes: Int, _ limits: Limits
    ) throws(ParseError) -> (taken: Int, isComplete: Bool) {
        var taken = 0
        while let count = try step(input.extracting(taken...), bodyBytes: bodyBytes, limits) {
            taken += count
        }
        return (taken, state == .complete)
    }

    /// Returns how many bytes were consumed; nil when more are needed, or none.
    private mutating func step(
        _ rest: borrowing Span<UInt8>, bodyBytes: Int, _ limits: Limits
    ) throws(ParseError) -> Int? {
        switch state {
        case .size:
            guard let end = try lineEnd(rest, limits) else { return nil }
            let size = try chunkSize(rest.extracting(..<end))
            chunks += 1
            guard chunks <= ChunkedDecoder.maxChunks else { throw .tooManyChunks }
            guard size <= bodyBytes - body.count else { throw .bodyTooLarge }
            state = size == 0 ? .trailer : .data(missing: size)
            return end + 2
        case .data(let missing):
            guard !rest.isEmpty else { return nil }
            let count = min(missing, rest.count)
            body.append(copying: rest.extracting(..<count))
            state = count == missing ? .dataEnd : .data(missing: missing - count)
            return count
        case .dataEnd:
            if rest.count >= 1, rest[0] != ASCII.carriageReturn { throw .malformedChunk }
            guard rest.count >= 2 else { return nil }
            guard rest[1] == ASCII.lineFeed else { throw .malformedChunk }
            state = .size
            return 2
        case .trailer:
            guard let end = try lineEnd(rest, limits) else { return nil }
            // Well formed, and then dropped: no field may take effect after the body (RFC 9110
            // section 6.5.1).
            if end == 0 {
                state = .complete
            } else if FieldLine.position(rest.extracting(..<end), at: 0) == nil {
                throw .malformedTrailer
            }
            return end + 2
        case .complete: return nil
        }
    }

    /// The position of the line's CR, or nil while the line is incomplete.
    private func lineEnd(
        _ rest: borrowing Span<UInt8>, _ limits: Limits
    ) throws(ParseError) -> Int? {
        for index in 0..<min(rest.count, limits.chunkLineBytes) {
            if rest[index] == ASCII.lineFeed {
                guard index > 0, rest[index - 1] == ASCII.carriageReturn else {
                    throw .malformedChunk
                }
                return index - 1
            }
            if index > 0, rest[index - 1] == ASCII.carriageReturn { throw .malformedChunk }
        }
        guard rest.count < limits.chunkLineBytes else { throw .malformedChunk }
        return nil
    }

    /// `1*HEXDIG [ chunk-ext ]`. Fifteen digits exceed any body here and cannot overflow.
    ///
    /// Extensions are ignored (RFC 9112 section 7.1.1), but have no byte that ends a line for some
    /// other parser, and begin with a semicolon: a size that is misspelled is no size.
    private func chunkSize(_ line: borrowing Span<UInt8>) throws(ParseError) -> Int {
        var size = 0
        var index = 0
        while index < line.count, let digit = ASCII.hexValue(line[index]) {
            guard index < 15 else { throw .malformedChunk }
            size = size << 4 | Int(digit)
            index += 1
        }
        guard index > 0, ASCII.isFieldValue(line.extracting(index...)) else {
            throw .malformedChunk
        }
        guard index < line.count else { return size }
        while index < line.count, ASCII.isBlank(line[index]) { index += 1 }
        guard index < line.count, line[index] == ASCII.semicolon else { throw .malformedChunk }
        return size
    }
}
