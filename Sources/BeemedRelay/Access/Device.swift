import BeemedDomain

/// The rights of a token.
enum Right: String, Codable, CaseIterable, Sendable {
    /// Log presses and undo its own.
    case log
    /// Read the context and its own events.
    case read
    /// Send health data: totals of days.
    case health
    /// Everything else.
    case manage
}

/// A client with a token.
struct Device: Codable, Sendable, Equatable {
    /// Its name, which is part of the identity of everything it sends.
    var name: String
    /// Distinguishes devices of the same name over time; also part of that identity. Nil for a
    /// device added before generations existed, whose request ids stay unchanged.
    var generation: DeviceGeneration?
    /// The SHA-256 of its token, in hex. The token itself is not stored.
    var tokenHash: String
    /// Its rights.
    var rights: [Right]
    /// The goals it may log to; nil means all.
    var goals: [String]?
    /// The goal of a press that names none, if configured.
    var goal: String?
    /// The value of a press that has none; nil means 1.
    var value: Double?
    /// Whether a press with an unknown name is refused; nil means no.
    var strict: Bool?
    /// The longest silence that is no reason for a reminder, in seconds; nil when none is expected.
    var expect: Int64?

    /// The name under which the owner's token logs; reserved.
    static let owner = "owner"

    /// The name under which imported datapoints are logged; reserved.
    static let importer = "import"

    /// The name under which the buttons of reminders log; reserved.
    static let reminder = "reminder"

    /// Whether no device may have this name.
    static func isReserved(_ name: String) -> Bool { [owner, importer, reminder].contains(name) }

    /// The identity of its events; nil for a name that no device can have.
    var identity: DeviceIdentity? {
        DeviceName(name).map { DeviceIdentity(name: $0, generation: generation) }
    }

    /// Whether it may log to this goal.
    func mayLog(to goal: GoalSlug) -> Bool {
        goals?.contains(goal.description) ?? true
    }

    /// The goal of a press that names none: the configured one, or the only one it may log to.
    var defaultGoal: String? {
        goal ?? (goals?.count == 1 ? goals?.first : nil)
    }
}

/// A secret that identifies a device.
struct Token: Sendable {
    /// The text, shown only once.
    let text: String

    /// A random token of 160 bits.
    static func random() -> Token {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<32).map { _ in
            alphabet[Int.random(in: 0..<32, using: &generator)]
        }
        return Token(text: "br_" + String(letters))
    }

    /// The stored form.
    var hash: String { TokenDigest(of: text).hex }
}

/// The SHA-256 of a token, which is stored and compared in constant time.
struct TokenDigest: Sendable, Equatable {
    private let bytes: [UInt8]

    /// The digest of a token's text.
    init(of text: String) {
        bytes = SHA256Digest.of(Array(text.utf8))
    }

    /// A stored digest; nil if the text is not one.
    init?(hex: String) {
        guard hex.utf8.count == 64 else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for letter in hex.utf8 {
            guard let digit = Character(UnicodeScalar(letter)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        self.bytes = bytes
    }

    /// In hex, as stored.
    var hex: String { SHA256Digest.hex(bytes) }

    /// Compares every byte, so that the time is constant.
    static func == (left: TokenDigest, right: TokenDigest) -> Bool {
        var difference: UInt8 = 0
        for index in 0..<32 { difference |= left.bytes[index] ^ right.bytes[index] }
        return difference == 0
    }
}
