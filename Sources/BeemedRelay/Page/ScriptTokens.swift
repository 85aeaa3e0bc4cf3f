import RelayTrunk

/// Splits a module of the page into texts, words and signs, mostly of one character. Blanks between
/// them are left out; texts, templates and regular expressions stay as they are.
struct ScriptTokens {
    private(set) var all: [String] = []

    private let bytes: [UInt8]
    private var place = 0
    /// For each template that is open, the braces that are open in its present expression.
    private var braces: [Int] = []

    init(_ module: [UInt8]) {
        bytes = module
        while place < bytes.count {
            let start = place
            let first = bytes[place]
            place += 1
            read(first)
            if ![0x09, 0x0A, 0x20].contains(first) {
                all.append(String(decoding: bytes[start..<place], as: UTF8.self))
            }
        }
    }

    /// Moves behind the token that begins with this byte.
    private mutating func read(_ first: UInt8) {
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): skip(to: first)
        case UInt8(ascii: "`"): readTemplate()
        case UInt8(ascii: "}") where braces.last == 0:
            braces.removeLast()
            readTemplate()
        case UInt8(ascii: "{") where !braces.isEmpty: braces[braces.count - 1] += 1
        case UInt8(ascii: "}") where !braces.isEmpty: braces[braces.count - 1] -= 1
        case UInt8(ascii: "/") where mayBeExpression: readExpression()
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            if place < bytes.count, bytes[place] == first { place += 1 }
        case _ where first.isPartOfName:
            while place < bytes.count, bytes[place].isPartOfName { place += 1 }
        default: break
        }
    }

    private mutating func skip(to end: UInt8) {
        while place < bytes.count, bytes[place] != end { skipOne() }
        place += 1
    }

    private mutating func skipOne() {
        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }

    /// Reads to the end of a template, or to the next expression in it.
    private mutating func readTemplate() {
        while place < bytes.count, bytes[place] != UInt8(ascii: "`") {
            let isExpression = bytes[place...].starts(with: "${".utf8)
            if isExpression {
                braces.append(0)
                place += 2
                return
            }
            skipOne()
        }
        place += 1
    }

    /// Reads a regular expression, in whose brackets a slash does not end it.
    private mutating func readExpression() {
        while place < bytes.count, bytes[place] != UInt8(ascii: "/") {
            if bytes[place] == UInt8(ascii: "[") { skip(to: UInt8(ascii: "]")) } else { skipOne() }
        }
        place += 1
    }

    /// Whether a slash would begin a regular expression, since nothing stands before it that could
    /// be divided.
    private var mayBeExpression: Bool {
        guard let last = all.last else { return true }
        return ["(", ",", "=", ":", "[", "!", "&", "|", "?", ";", "return"].contains(last)
    }
}

extension UInt8 {
    /// Whether it may be a part of a name or a number.
    var isPartOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }
}
