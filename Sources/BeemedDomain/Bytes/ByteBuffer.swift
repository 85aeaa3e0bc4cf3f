#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Memory that grows while bytes are written into it, with one check for each piece.
///
/// An array checks for every piece who else holds it, and its room, by calls into the runtime: for
/// the line, the answer and the log entry of a press that was a third of its instructions.
@safe struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes written.
    private(set) var count = 0

    /// - Parameter capacity: the bytes that are likely to be written; more grow it.
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
    var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if count == capacity { grow(1) }
        unsafe start[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        unsafe append(text.utf8Start, text.utf8CodeUnitCount)
    }

    @inline(__always)
    mutating func append(_ bytes: borrowing Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            unsafe append(first, bytes.count)
        }
    }

    @inline(__always)
    private mutating func append(_ bytes: UnsafePointer<UInt8>, _ more: Int) {
        if more > capacity - count { grow(more) }
        unsafe copyShort(bytes, to: start + count, more)
        count += more
    }

    /// Appends a member's name in quotes and the colon.
    @inline(__always)  // With a known length it is two moves.
    mutating func append(name: StaticString, hasComma: Bool) {
        let length = name.utf8CodeUnitCount
        if capacity - count < length + 4 { grow(length + 4) }
        unsafe start[count] = 0x2C
        var next = unsafe start + (hasComma ? count + 1 : count)
        unsafe next[0] = 0x22
        unsafe copyShort(name.utf8Start, to: next + 1, length)
        unsafe next += length + 1
        unsafe next[0] = 0x22
        unsafe next[1] = 0x3A
        count += length + (hasComma ? 4 : 3)
    }

    /// Appends bytes in quotes.
    mutating func append(quoted bytes: borrowing Span<UInt8>) {
        let length = bytes.count
        if capacity - count < length + 2 { grow(length + 2) }
        let place = unsafe start + count
        unsafe place[0] = 0x22
        unsafe bytes.withUnsafeBufferPointer { bytes in
            if let first = bytes.baseAddress { unsafe copyShort(first, to: place + 1, length) }
        }
        unsafe place[length + 1] = 0x22
        count += length + 2
    }

    /// Appends the digits of a number.
    mutating func append(decimal number: UInt64) {
        if number < 10 { return append(0x30 + UInt8(truncatingIfNeeded: number)) }
        if capacity - count < 2 * ByteBuffer.mostDigits { grow(2 * ByteBuffer.mostDigits) }
        // Written from their end, two at a time, behind the place to which they are moved.
        let end = unsafe start + count + 2 * ByteBuffer.mostDigits
        var place = unsafe end
        var rest = number
        while rest >= 10 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            unsafe place -= 2
            unsafe ByteBuffer.write(pair: Int(truncatingIfNeeded: pair), to: place)
            rest = quotient
        }
        if rest > 0 {
            unsafe place -= 1
            unsafe place[0] = 0x30 + UInt8(truncatingIfNeeded: rest)
        }
        let length = unsafe end - place
        unsafe copyShort(place, to: start + count, length)
        count += length
    }

    /// The digits of the greatest number of 64 bits.
    private static let mostDigits = 20

    private static func write(pair: Int, to place: UnsafeMutablePointer<UInt8>) {
        let digits: StaticString = """
            0001020304050607080910111213141516171819\
            2021222324252627282930313233343536373839\
            4041424344454647484950515253545556575859\
            6061626364656667686970717273747576777879\
            8081828384858687888990919293949596979899
            """
        unsafe place[0] = digits.utf8Start[2 * pair]
        unsafe place[1] = digits.utf8Start[2 * pair + 1]
    }

    /// Appends a number in eight lower hex digits.
    mutating func append(hex number: UInt32) {
        if capacity - count < 8 { grow(8) }
        // A nibble to each byte, the highest first; then each becomes its digit, all at once.
        var nibbles = UInt64(number)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let ones: UInt64 = 0x0101_0101_0101_0101
        let isLetter = (nibbles + ones * 6) >> 4 & ones
        let digits = nibbles + ones * 0x30 + isLetter * 0x27
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(
            of: digits.bigEndian, as: UInt64.self)
        count += 8
    }

    /// The checksum of the bytes from that position on.
    func check(from first: Int) -> UInt32 {
        precondition(first <= count)
        let bytes = unsafe UnsafeBufferPointer(start: start + first, count: count - first)
        return CRC32C.of(unsafe Span(_unsafeElements: bytes))
    }

    /// Truncates it to this many bytes.
    mutating func cut(to count: Int) {
        precondition((0...self.count).contains(count))
        self.count = count
    }

    /// Copies bytes of a name: most have fewer than 17, and a call takes longer than two moves.
    @inline(__always)
    private func copyShort(
        _ bytes: UnsafePointer<UInt8>, to place: UnsafeMutablePointer<UInt8>, _ length: Int
    ) {
        let (from, to) = unsafe (UnsafeRawPointer(bytes), UnsafeMutableRawPointer(place))
        switch length {
        case 8...16: unsafe move(UInt64.self, from, to, length)
        case 4...7: unsafe move(UInt32.self, from, to, length)
        case 2...3: unsafe move(UInt16.self, from, to, length)
        case 1: unsafe place[0] = bytes[0]
        default: unsafe memcpy(place, bytes, length)
        }
    }

    /// Copies from one to two words of bytes, in two moves that may overlap.
    @inline(__always)
    private func move<Word: BitwiseCopyable>(
        _ word: Word.Type, _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ length: Int
    ) {
        let last = length - MemoryLayout<Word>.size
        let (head, tail) = unsafe (
            from.loadUnaligned(as: Word.self),
            from.loadUnaligned(fromByteOffset: last, as: Word.self)
        )
        unsafe to.storeBytes(of: head, as: Word.self)
        unsafe to.storeBytes(of: tail, toByteOffset: last, as: Word.self)
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
