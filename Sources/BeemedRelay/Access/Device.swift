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
    /// The SHA-256 of its token, in hex. The token itself is kept nowhere.
    var tokenHash: String
    /// What it may do.
    var rights: [Right]
    /// The goals it may log to; nil is all of them.
    var goals: [String]?

    /// May it log to this goal?
    func mayLog(to goal: GoalSlug) -> Bool {
        goals?.contains(goal.description) ?? true
    }

    /// The goal of a press that names none: the only one it may log to.
    var defaultGoal: String? {
        goals?.count == 1 ? goals?.first : nil
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
    var hash: String { Token.hash(of: text) }

    /// The SHA-256 of such a text, in hex.
    static func hash(of text: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var hex: [UInt8] = []
        hex.reserveCapacity(64)
        for byte in SHA256Digest.of(Array(text.utf8)) {
            hex.append(digits[Int(byte >> 4)])
            hex.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: hex, as: UTF8.self)
    }
}
