package import BeemedDomain
import RelayHTTP

/// The rights of a token.
package enum Right: String, Codable, CaseIterable, Sendable {
    /// Log presses and undo its own.
    case log
    /// Read the context and its own events.
    case read
    /// Send health data: totals of days.
    case health
    /// Everything else.
    case manage

    /// The rights of these names.
    static func parse(_ names: [String]) throws(Problem) -> [Right] {
        try names.map { (name) throws(Problem) in
            guard let right = Right(rawValue: name) else {
                let rights = allCases.map(\.rawValue).joined(separator: ", ")
                throw .unusableDevice("'\(name)' is not a valid right; choose among \(rights)")
            }
            return right
        }
    }
}

/// A client with a token. Immutable, so it is shared by all requests of the device.
package final class Device: Codable, Sendable, Equatable {
    /// Its name, which is part of the identity of everything it sends.
    package let name: String
    /// Distinguishes devices of the same name over time; also part of that identity. Nil for a
    /// device added before generations existed, whose request ids stay unchanged.
    package let generation: DeviceGeneration?
    /// The SHA-256 of its token, in hex. The token itself is not stored.
    package let tokenHash: String
    /// How often its token was replaced; nil for never. Of two lines about the same device the one
    /// with more has its present token.
    let rotations: Int?
    /// Its rights.
    package let rights: [Right]
    /// The goals it may log to; nil means all.
    package let goals: [String]?
    /// The goal of a press that names none, if configured.
    package let goal: String?
    /// The value of a press that has none; nil means 1.
    package let value: Double?
    /// Whether a press with an unknown name is refused; nil means no.
    let strict: Bool?
    /// The longest silence that is no reason for a reminder, in seconds; nil when none is expected.
    package let expect: Int64?
    /// The identity of its events; nil for a name that no device can have.
    let identity: DeviceIdentity?
    /// The beginning of its request ids; its name, where it can have none.
    let label: String
    /// The digest of its token; nil when `tokenHash` is none.
    let digest: TokenDigest?

    private enum CodingKeys: String, CodingKey {
        case name, generation, tokenHash, rotations, rights, goals, goal, value, strict, expect
    }

    /// A device with this token, of which the digest is kept.
    package init(
        name: String, generation: DeviceGeneration? = nil, tokenHash: String, rights: [Right],
        goals: [String]? = nil, goal: String? = nil, value: Double? = nil, strict: Bool? = nil,
        expect: Int64? = nil, rotations: Int? = nil
    ) {
        self.name = name
        self.generation = generation
        self.tokenHash = tokenHash
        self.rotations = rotations
        self.rights = rights
        self.goals = goals
        self.goal = goal
        self.value = value
        self.strict = strict
        self.expect = expect
        identity = DeviceName(name).map { DeviceIdentity(name: $0, generation: generation) }
        label = identity?.description ?? name
        digest = TokenDigest(hex: tokenHash)
    }

    package convenience init(from decoder: any Decoder) throws {
        let stored = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try stored.decode(String.self, forKey: .name),
            generation: try stored.decodeIfPresent(DeviceGeneration.self, forKey: .generation),
            tokenHash: try stored.decode(String.self, forKey: .tokenHash),
            rights: try stored.decode([Right].self, forKey: .rights),
            goals: try stored.decodeIfPresent([String].self, forKey: .goals),
            goal: try stored.decodeIfPresent(String.self, forKey: .goal),
            value: try stored.decodeIfPresent(Double.self, forKey: .value),
            strict: try stored.decodeIfPresent(Bool.self, forKey: .strict),
            expect: try stored.decodeIfPresent(Int64.self, forKey: .expect),
            rotations: try stored.decodeIfPresent(Int.self, forKey: .rotations))
    }

    /// The name under which the owner's token logs; reserved.
    package static let owner = "owner"

    /// The name under which imported datapoints are logged; reserved.
    package static let importer = "import"

    /// The name under which the buttons of reminders log; reserved.
    static let button = "reminder"

    /// The name under which the totals of health data are sent; reserved.
    static let health = DayTotal.device.description

    /// Whether no new device may have this name.
    static func isReserved(_ name: String) -> Bool {
        [owner, importer, button, health].contains(name)
    }

    /// The identity of its events.
    func usableIdentity() throws(Problem) -> DeviceIdentity {
        guard let identity else {
            throw .forbidden("the device's name cannot be used; add it again under another one")
        }
        return identity
    }

    /// Whether the device may log to this goal under any of its names: a goal that was renamed is
    /// listed under its former one.
    package func mayLog(to goal: GoalSlug, _ names: (GoalSlug) -> [String]) -> Bool {
        guard let goals, !goals.contains(goal.description) else { return true }
        return names(goal).contains(where: goals.contains)
    }

    /// The goal of a press that names none: the configured one, or the only one it may log to.
    var defaultGoal: String? {
        goal ?? (goals?.count == 1 ? goals?.first : nil)
    }

    package static func == (left: Device, right: Device) -> Bool {
        left.tokenHash == right.tokenHash && left.expect == right.expect
            && left.isSame(as: right)
    }

    /// Whether both are one device that may do the same: only their tokens, and how long they may
    /// be silent, may differ.
    func isSame(as other: Device) -> Bool {
        name == other.name && generation == other.generation && rights == other.rights
            && goals == other.goals && goal == other.goal && value == other.value
            && strict == other.strict
    }
}

/// A secret that identifies a device.
package struct Token: Sendable {
    /// The text, shown only once.
    package let text: String

    private static let prefix = "br_"
    /// The number of letters after the prefix.
    private static let length = 32

    /// A random token of 160 bits.
    static func random() -> Token {
        var chance = SystemRandomNumberGenerator()
        return Token(text: prefix + NameText.random(length, using: &chance))
    }

    private init(text: String) { self.text = text }

    /// Parses a token in the form in which they are made; nil for anything else.
    init?(_ text: String) {
        let letters = text.utf8.dropFirst(Token.prefix.utf8.count)
        guard text.hasPrefix(Token.prefix), letters.count == Token.length,
            letters.allSatisfy(NameText.isLetter)
        else { return nil }
        self.text = text
    }

    /// The stored form.
    var hash: String { TokenDigest(of: text).hex }
}

/// The SHA-256 of a token, which is stored and compared in constant time.
struct TokenDigest: Sendable, Equatable {
    private let bytes: [UInt8]

    init(of text: String) {
        bytes = SHA256Digest.of(Array(text.utf8))
    }

    /// A stored digest; nil if the text is not one.
    init?(hex: String) {
        let digits = hex.utf8.compactMap(ASCII.hexValue)
        guard digits.count == 64, hex.utf8.count == 64 else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    var hex: String { SHA256Digest.hex(bytes) }

    /// Compares every byte, so that the time is constant.
    static func == (left: TokenDigest, right: TokenDigest) -> Bool {
        var difference: UInt8 = 0
        for index in 0..<32 { difference |= left.bytes[index] ^ right.bytes[index] }
        return difference == 0
    }
}

/// The body of `PATCH /devices/{name}`: what a device may do from now on. A member that is left out
/// stays as it is.
struct DeviceLimits: Decodable {
    /// Its rights, by their names.
    let can: [String]?
    /// The only goals that it may log to; nil inside means all.
    let goals: [String]??
    /// The goal of a press that names none; nil inside means none.
    let goal: String??

    private enum CodingKeys: CodingKey { case can, goals, goal }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        can = try members.decodeIfPresent([String].self, forKey: .can)
        goals =
            members.contains(.goals)
            ? .some(try members.decodeIfPresent([String].self, forKey: .goals)) : .none
        goal =
            members.contains(.goal)
            ? .some(try members.decodeIfPresent(String.self, forKey: .goal)) : .none
    }
}

/// The longest silence of a device that is no reason for a reminder.
enum Silence {
    /// The accepted seconds: from five minutes to a year.
    static let range: ClosedRange<Int64> = 300...31_536_000

    /// Parses `1d`, `12h` or `30m` to seconds, and `off` to nil.
    static func parse(_ text: String) throws(Problem) -> Int64? {
        if text == "off" { return nil }
        let sizes: [Character: Int64] = ["d": 86_400, "h": 3_600, "m": 60]
        guard let size = text.last.flatMap({ sizes[$0] }), let count = Int64(text.dropLast()),
            (1...1_000_000).contains(count), range.contains(count * size)
        else { throw .unusableExpectation(text) }
        return count * size
    }

    /// As it was written, in the largest unit without a remainder.
    static func text(_ seconds: Int64) -> String {
        if seconds % 86_400 == 0 { return "\(seconds / 86_400)d" }
        return seconds % 3_600 == 0 ? "\(seconds / 3_600)h" : "\(seconds / 60)m"
    }
}
