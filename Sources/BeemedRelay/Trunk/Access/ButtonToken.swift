package import BeemedDomain

/// The token of a reminder's buttons, which travels through the service that shows it: good for one
/// goal and one day. Needs no storage, since it is signed with a key that only the relay has.
struct ButtonToken: Sendable {
    /// The goal that it may log to and put off.
    let goal: GoalSlug
    /// The day on which it was sent, in UTC.
    let day: Daystamp

    private static let codeBytes = 20
    static let prefix = "rt_"
}

extension ButtonToken {
    /// Reads a token; nil when not made with this key, or not good at that time.
    init?(_ text: String, key: [UInt8], at now: UnixTime? = nil) {
        let bytes = text.utf8
        guard bytes.starts(with: ButtonToken.prefix.utf8) else { return nil }
        let parts = bytes.dropFirst(ButtonToken.prefix.utf8.count).split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].count == 2 * ButtonToken.codeBytes,
            let goal = GoalSlug(String(Substring(parts[0]))),
            let day = Daystamp(String(Substring(parts[1])))
        else { return nil }
        self.init(goal: goal, day: day)
        // A digest costs more than all that.
        guard now.map(isGood) ?? true,
            TokenDigest(of: self.text(key: key)) == TokenDigest(of: text)
        else { return nil }
    }

    /// The token: the goal, the day and the first 160 bits of their code.
    func text(key: [UInt8]) -> String {
        let content = "\(ButtonToken.prefix)\(goal).\(day)"
        let code = MessageCode.sha256(Array(content.utf8), key: key)
            .prefix(ButtonToken.codeBytes)
        return content + "." + SHA256Digest.hex(code)
    }

    /// Whether the token is good at that time: on its day and the next one, so that it is not over
    /// at the user's midnight before a deadline.
    func isGood(at now: UnixTime) -> Bool {
        (day.number...day.number + 1).contains(now.seconds / 86_400)
    }
}

/// HMAC-SHA-256 (RFC 2104, RFC 4231).
enum MessageCode {
    static func sha256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? SHA256Digest.of(key) : key
        block += Array(repeating: 0, count: 64 - block.count)
        let inner = SHA256Digest.of(block.map { $0 ^ 0x36 } + message)
        return SHA256Digest.of(block.map { $0 ^ 0x5C } + inner)
    }
}

extension Access {
    /// The sender of a button's press; nil when the token is none of a reminder, or not good now.
    func buttonDevice(bearing token: String, at now: UnixTime) -> Device? {
        guard let made = ButtonToken(token, key: buttonKey, at: now) else { return nil }
        return Device(
            name: .button, generation: ownerGeneration, tokenHash: TokenDigest(of: token),
            can: [.log], goals: [made.goal.description])
    }

    /// The token of the buttons of a reminder that is sent now.
    package func buttonToken(for goal: GoalSlug, at now: UnixTime) -> String {
        let today = Daystamp(number: now.seconds / 86_400)
        return ButtonToken(goal: goal, day: today).text(key: buttonKey)
    }
}
