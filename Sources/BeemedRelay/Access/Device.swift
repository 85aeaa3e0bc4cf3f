import BeemedDomain

/// What a token's bearer may do.
enum Right: String, Codable, CaseIterable, Sendable {
    /// Log presses and undo its own.
    case log
    /// See the context and its own events.
    case read
    /// Everything else.
    case manage
}

/// Somebody with a token.
struct Device: Codable, Sendable, Equatable {
    /// Its name, which is part of the identity of everything it sends.
    var name: String
    /// Tells it from every other device of its name; part of that identity too. Nil for one that
    /// was added before there were generations, whose request ids stay as they are.
    var generation: DeviceGeneration?
    /// The SHA-256 of its token, in hex. The token itself is kept nowhere.
    var tokenHash: String
    /// What it may do.
    var rights: [Right]
    /// The goals it may log to; nil is all of them.
    var goals: [String]?
    /// The goal of a press that names none, if one was chosen.
    var goal: String?
    /// The value of a press that has none; nil is 1.
    var value: Double?
    /// Whether its presses are refused for a name that means nothing; nil is no.
    var strict: Bool?

    /// The name under which the owner's token logs; no device can have it.
    static let owner = "owner"

    /// Whose events its are; nil for a name that no device can have.
    var identity: DeviceIdentity? {
        DeviceName(name).map { DeviceIdentity(name: $0, generation: generation) }
    }

    /// May it log to this goal?
    func mayLog(to goal: GoalSlug) -> Bool {
        goals?.contains(goal.description) ?? true
    }

    /// The goal of a press that names none: the chosen one, or the only one it may log to.
    var defaultGoal: String? {
        goal ?? (goals?.count == 1 ? goals?.first : nil)
    }
}

/// A secret that a device shows to say who it is.
struct Token: Sendable {
    /// As it is shown, once.
    let text: String

    /// One that nobody can guess: 160 bits.
    static func random() -> Token {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<32).map { _ in
            alphabet[Int.random(in: 0..<32, using: &generator)]
        }
        return Token(text: "br_" + String(letters))
    }

    /// What is stored of it.
    var hash: String { TokenDigest(of: text).hex }
}

/// The SHA-256 of a token: what is stored, and what is compared, in a time that says nothing.
struct TokenDigest: Sendable, Equatable {
    private let bytes: [UInt8]

    /// The digest of a token's text.
    init(of text: String) {
        bytes = SHA256Digest.of(Array(text.utf8))
    }

    /// A stored digest; nil when that is none.
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

    /// In hex, as it is stored.
    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var hex: [UInt8] = []
        for byte in bytes {
            hex.append(digits[Int(byte >> 4)])
            hex.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: hex, as: UTF8.self)
    }

    /// Looks at every byte, whatever the first ones say.
    static func == (left: TokenDigest, right: TokenDigest) -> Bool {
        var difference: UInt8 = 0
        for index in 0..<32 { difference |= left.bytes[index] ^ right.bytes[index] }
        return difference == 0
    }
}
