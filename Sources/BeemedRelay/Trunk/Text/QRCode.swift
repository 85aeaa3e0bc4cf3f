/// A QR code (ISO/IEC 18004): byte mode, error correction L, which is enough for a screen, and
/// versions 1 to 9, so up to 230 bytes. Always under mask 0, which is a chessboard: readers take
/// any, and sign-in links and addresses are random enough for it.
///
/// Terminals show it as text; the page asks for its drawing.
package struct QRCode: Sendable, Equatable {
    /// Modules on a side.
    package let size: Int
    private var dark: [Bool]
    private var isTaken: [Bool]

    /// For each version: data words and check words of a block, blocks, and the last position of
    /// the alignment patterns (tables 9 and E.1).
    private static let versions: [(data: Int, check: Int, blocks: Int, last: Int)] = [
        (19, 7, 1, 0), (34, 10, 1, 18), (55, 15, 1, 22), (80, 20, 1, 26), (108, 26, 1, 30),
        (68, 18, 2, 34), (78, 20, 2, 38), (97, 24, 2, 42), (116, 30, 2, 46),
    ]

    /// The code of a text; nil for a text that is too long.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let index = QRCode.versions.indices.first { index in
            let version = QRCode.versions[index]
            return bytes.count + 2 <= version.data * version.blocks
        }
        guard let index else { return nil }
        size = 21 + 4 * index
        dark = Array(repeating: false, count: size * size)
        isTaken = dark
        drawPatterns(index)
        drawFormat(index)
        fill(QRCode.codewords(bytes, index))
    }

    /// Whether a module is dark; light outside of the code.
    func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && dark[y * size + x]
    }

    /// The code in half blocks, two rows of modules a line, with the quiet zone of four modules
    /// around it. A block is a light module, as terminals have dark backgrounds; readers take the
    /// inverse, too.
    package var text: String {
        var lines: [String] = []
        for y in stride(from: -4, to: size + 4, by: 2) {
            var line = ""
            for x in -4..<(size + 4) {
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (false, false): line += "█"
                case (false, true): line += "▀"
                case (true, false): line += "▄"
                case (true, true): line += " "
                }
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    /// The dark modules as a path of SVG, with the quiet zone of four modules around them.
    package var path: String {
        var path = ""
        for y in 0..<size {
            for x in 0..<size where isDark(x, y) { path += "M\(x + 4) \(y + 4)h1v1h-1z" }
        }
        return path
    }

    // MARK: Function patterns

    private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        dark[y * size + x] = isDark
        isTaken[y * size + x] = true
    }

    private mutating func drawRings(_ x: Int, _ y: Int, reach: Int, light: [Int]) {
        for dy in -reach...reach {
            for dx in -reach...reach {
                set(x + dx, y + dy, !light.contains(max(abs(dx), abs(dy))))
            }
        }
    }

    private mutating func drawPatterns(_ version: Int) {
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            drawRings(x, y, reach: 4, light: [2, 4])
        }
        let last = QRCode.versions[version].last
        let centres = last == 0 ? [] : version < 6 ? [6, last] : [6, (last + 6) / 2, last]
        for y in centres {
            for x in centres where (x != 6 && y != 6) || (x != y && x != last && y != last) {
                drawRings(x, y, reach: 2, light: [1])
            }
        }
    }

    /// The format (level L and mask 0, table C.1) and, from version 7 on, the version, with their
    /// check bits.
    private mutating func drawFormat(_ index: Int) {
        let format = 0x77C4
        for bit in 0..<15 {
            let isDark = format >> bit & 1 == 1
            if bit < 8 {
                set(8, bit < 6 ? bit : bit + 1, isDark)
                set(size - 1 - bit, 8, isDark)
            } else {
                set(bit < 9 ? 7 : 14 - bit, 8, isDark)
                set(8, size - 15 + bit, isDark)
            }
        }
        set(8, size - 8, true)
        let version = index + 1
        guard version >= 7 else { return }
        var code = version << 12
        for bit in stride(from: 17, through: 12, by: -1) where code >> bit & 1 == 1 {
            code ^= 0x1F25 << (bit - 12)
        }
        code |= version << 12
        for bit in 0..<18 {
            let (a, b) = (size - 11 + bit % 3, bit / 3)
            set(a, b, code >> bit & 1 == 1)
            set(b, a, code >> bit & 1 == 1)
        }
    }

    // MARK: Data

    /// Places the bits in columns of two, up and down, under the mask.
    private mutating func fill(_ codewords: [UInt8]) {
        var index = 0
        var isUp = true
        var right = size - 1
        while right > 0 {
            for step in 0..<size {
                let y = isUp ? size - 1 - step : step
                for x in [right, right - 1] where !isTaken[y * size + x] {
                    let bit =
                        index / 8 < codewords.count
                        && codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    dark[y * size + x] = bit != ((x + y) % 2 == 0)
                    index += 1
                }
            }
            right -= right == 8 ? 3 : 2
            isUp.toggle()
        }
    }

    /// The data words in their blocks with their check words, interleaved.
    private static func codewords(_ bytes: [UInt8], _ index: Int) -> [UInt8] {
        let version = versions[index]
        let room = version.data * version.blocks
        var data = words(bytes)
        var pad: UInt8 = 0xEC
        while data.count < room {
            data.append(pad)
            pad ^= 0xFD
        }
        let parts = stride(from: 0, to: room, by: version.data).map { start in
            Array(data[start..<start + version.data])
        }
        let checks = parts.map { checkWords($0, count: version.check) }
        return woven(parts) + woven(checks)
    }

    /// Mode, length and bytes, shifted by the mode's four bits; the last four bits end the data.
    private static func words(_ bytes: [UInt8]) -> [UInt8] {
        var all: [UInt8] = [4]
        for byte in [UInt8(bytes.count)] + bytes { all += [byte >> 4, byte & 0xF] }
        all.append(0)
        return stride(from: 0, to: all.count, by: 2).map { all[$0] << 4 | all[$0 + 1] }
    }

    private static func woven(_ lists: [[UInt8]]) -> [UInt8] {
        lists[0].indices.flatMap { index in lists.map { $0[index] } }
    }

    // MARK: Reed-Solomon

    /// The product in the field of 256 elements with x^8 + x^4 + x^3 + x^2 + 1.
    private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
        (0..<8).reversed().reduce(UInt8(0)) { sum, bit in
            let doubled = sum << 1 ^ (sum & 128 == 0 ? 0 : 0x1D)
            return b >> UInt8(bit) & 1 == 1 ? doubled ^ a : doubled
        }
    }

    /// The remainder of the data's polynomial, which lets a reader correct it.
    private static func checkWords(_ data: [UInt8], count: Int) -> [UInt8] {
        var (generator, root): ([UInt8], UInt8) = ([1], 1)
        for _ in 0..<count {
            let longer = generator + [0]
            generator = longer.indices.map { index in
                longer[index] ^ (index > 0 ? product(generator[index - 1], root) : 0)
            }
            root = product(root, 2)
        }
        var rest = data + Array(repeating: 0, count: count)
        for index in data.indices {
            let factor = rest[index]
            for (offset, value) in generator.enumerated() {
                rest[index + offset] ^= product(value, factor)
            }
        }
        return Array(rest[data.count...])
    }
}
