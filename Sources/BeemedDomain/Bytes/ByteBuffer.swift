import Libc

/// Memory that grows while bytes are written into it, with one check for each piece.
///
/// An array checks for every piece who else holds it, and its capacity, by calls into the runtime:
/// for the line, the answer and the log entry of a press that was a third of the instructions.
@safe struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes written.
    private(set) var count = 0

    /// - Parameter capacity: the bytes that are likely to be written; more grow the buffer.
    init(capacity: Int) {
        self.capacity = max(16, capacity)
        unsafe start = ByteBuffer.allocate(self.capacity)
    }

    deinit {
        unsafe free(start)
    }

    /// `UnsafeMutablePointer.allocate` would ask for an alignment, which takes longer.
    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        guard let memory = unsafe malloc(capacity) else { fatalError("no memory") }
        return unsafe memory.assumingMemoryBound(to: UInt8.self)
    }

    /// Reads all bytes in place.
    func withSpan<Value, Failure>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
        return try body(unsafe Span(_unsafeElements: bytes))
    }

    /// A copy of all bytes.
    var bytes: [UInt8] { withSpan { Array(copying: $0) } }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == capacity { grow(1) }
        unsafe start[count] = byte
        count += 1
    }

    @inline(__always)  // With a known length it is a few moves.
    mutating func append(_ text: StaticString) {
        unsafe append(text.utf8Start, text.utf8CodeUnitCount)
    }

    mutating func append(_ bytes: borrowing Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            unsafe append(first, bytes.count)
        }
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafePointer<UInt8>, _ more: Int) {
        if more > capacity - count { grow(more) }
        unsafe memcpy(start + count, bytes, more)
        count += more
    }

    /// Appends the digits of a number.
    mutating func append(decimal number: UInt64) {
        if capacity - count < 20 { grow(20) }
        // From the last digit on, and then to the front.
        var (rest, first) = (number, 20)
        repeat {
            first -= 1
            let front = rest / 10
            unsafe start[count + first] = 0x30 + UInt8(truncatingIfNeeded: rest &- front &* 10)
            rest = front
        } while rest > 0
        unsafe memmove(start + count, start + count + first, 20 - first)
        count += 20 - first
    }

    /// Appends a number in so many lower hex digits.
    mutating func append(hex number: UInt32, digits: UInt32) {
        for digit in (0..<digits).reversed() {
            let nibble = UInt8(truncatingIfNeeded: number >> (4 * digit) & 0xF)
            append(nibble < 10 ? 0x30 + nibble : 0x57 + nibble)
        }
    }

    /// The checksum of the bytes from that position on.
    func check(from first: Int) -> UInt32 {
        withSpan { CRC32C.of($0.extracting(first...)) }
    }

    /// Truncates it to this many bytes.
    mutating func cut(to count: Int) {
        precondition((0...self.count).contains(count))
        self.count = count
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = unsafe ByteBuffer.allocate(capacity)
        unsafe memcpy(larger, start, count)
        unsafe free(start)
        unsafe start = larger
    }
}

extension [UInt8] {
    /// An array of these bytes.
    init(copying bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Span<UInt8> {
    /// The first index of a byte within a range; nil if it is not there.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        unsafe extracting(range).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start, Int32(byte), bytes.count)
            else { return nil }
            return unsafe range.lowerBound + (UnsafeRawPointer(found) - start)
        }
    }

    /// Whether the other has these bytes from that index on.
    func equals(_ other: borrowing Span<UInt8>, from start: Int) -> Bool {
        guard count <= other.count - start else { return false }
        return unsafe withUnsafeBytes { bytes in
            unsafe other.extracting(start..<(start + bytes.count)).withUnsafeBytes { other in
                guard let left = bytes.baseAddress, let right = other.baseAddress else {
                    return true  // Both are empty.
                }
                return unsafe memcmp(left, right, bytes.count) == 0
            }
        }
    }
}
