import Libc

/// SHA-256 (FIPS 180-4), which Linux has no Swift interface for. Tokens are stored only as digests.
package enum SHA256Digest {
    /// A digest, or a part of one, in hex.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var letters: [UInt8] = []
        for byte in bytes {
            letters.append(digits[Int(byte >> 4)])
            letters.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// The digest of these bytes, 32 bytes long.
    package static func of(_ bytes: [UInt8]) -> [UInt8] {
        var message = bytes
        message.reserveCapacity((bytes.count / 64 + 2) * 64)
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        let bits = UInt64(bytes.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        var state = initial
        for block in stride(from: 0, to: message.count, by: 64) {
            compress(message.span.extracting(block..<(block + 64)), &state)
        }
        var digest: [UInt8] = []
        digest.reserveCapacity(32)
        for index in state.indices {
            for shift in stride(from: 24, through: 0, by: -8) {
                digest.append(UInt8(truncatingIfNeeded: state[index] >> UInt32(shift)))
            }
        }
        return digest
    }

    /// In place and without allocation: it runs for each request whose head is not known.
    private static func compress(
        _ block: borrowing Span<UInt8>, _ state: inout InlineArray<8, UInt32>
    ) {
        var schedule = InlineArray<64, UInt32>(repeating: 0)
        for index in 0..<16 {
            let byte = index * 4
            schedule[index] =
                UInt32(block[byte]) << 24 | UInt32(block[byte + 1]) << 16
                | UInt32(block[byte + 2]) << 8 | UInt32(block[byte + 3])
        }
        for index in 16..<64 {
            let (before, far) = (schedule[index - 2], schedule[index - 15])
            let small = rotated(far, 7) ^ rotated(far, 18) ^ far &>> 3
            let large = rotated(before, 17) ^ rotated(before, 19) ^ before &>> 10
            schedule[index] = schedule[index - 16] &+ small &+ schedule[index - 7] &+ large
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        let constants = constants
        for index in 0..<64 {
            let mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first =
                h &+ mixed &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ schedule[index]
            let other = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let second = other &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        let sums: InlineArray<8, UInt32> = [a, b, c, d, e, f, g, h]
        for index in sums.indices { state[index] &+= sums[index] }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }

    /// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
    private static let initial = InlineArray<8, UInt32> {
        fraction(Double(primes[$0]).squareRoot())
    }

    /// The same for the cube roots of the first 64 primes.
    private static let constants = InlineArray<64, UInt32> { fraction(cbrt(Double(primes[$0]))) }

    private static let primes = (2...311).filter { number in
        !(2..<number).contains { number % $0 == 0 }
    }

    private static func fraction(_ root: Double) -> UInt32 {
        UInt32(truncatingIfNeeded: UInt64(root * 4_294_967_296))
    }
}
