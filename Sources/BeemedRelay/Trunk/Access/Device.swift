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

/// A client with a token: as `devices.json` has it, as `device export` prints it, and as
/// `PUT /devices/{name}` reads it. It contains no token, only a digest that does not reveal one; a
/// client that may change another relay's devices can use it to admit the device there.
package struct Device: Codable, Sendable, Equatable {
    /// Its name, which is part of the identity of everything it sends.
    package internal(set) var name: DeviceName
    /// Distinguishes devices of the same name over time; also part of that identity.
    package internal(set) var generation: DeviceGeneration
    /// The digest of its token.
    package internal(set) var tokenHash: TokenDigest
    /// How often its token was replaced; nil for never. Of two lines about the same device the one
    /// with more has its present token.
    var rotations: Int?
    var can: [Right]
    /// The goals it may log to; nil means all.
    package internal(set) var goals: [String]?
    /// The goal of a press that names none, if configured.
    package internal(set) var goal: String?
    /// The value of a press that has none; nil means 1.
    var value: Double?
    /// Whether a press with an unknown name is refused; nil means no.
    var strict: Bool?
    /// The longest silence that is no reason for a reminder, in seconds; nil when none is expected.
    package internal(set) var expect: Int64?

    /// The sender of imported datapoints: the same in every relay, so that a file that two relays
    /// import becomes one datapoint a line.
    package static let importer = Device(
        name: .importer, generation: DeviceGeneration(known: "000000"),
        tokenHash: TokenDigest(of: ""), can: [])

    /// The identity of its events.
    package var identity: DeviceIdentity { DeviceIdentity(name: name, generation: generation) }

    /// Whether it has this right.
    package func may(_ right: Right) -> Bool { can.contains(right) }

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
}

/// The device that has sent a request. An object: to copy a device takes a twentieth of the
/// instructions of a request for the context.
final class Sender: Sendable {
    let device: Device

    init(_ device: Device) { self.device = device }
}

extension DeviceName {
    /// The name under which the owner's token logs.
    package static let owner = DeviceName(known: "owner")
    /// The name under which imported datapoints are logged.
    static let importer = DeviceName(known: "import")
    /// The name under which the buttons of reminders log.
    static let button = DeviceName(known: "reminder")

    /// Whether no new device may have this name: the relay itself logs under it.
    var isReserved: Bool {
        [.owner, .importer, .button, DayTotal.device].contains(self)
    }
}

/// A secret that identifies a device.
package struct Token: Sendable {
    /// The text, shown only once.
    package let text: String

    private static let prefix = "br_"
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

    var digest: TokenDigest { TokenDigest(of: text) }
}

/// The SHA-256 of a token, which is stored and compared in constant time.
package struct TokenDigest: RawRepresentable, Hashable, Codable, Sendable {
    /// In hex.
    package let rawValue: String

    /// The digest of a token.
    package init(of text: String) {
        rawValue = SHA256Digest.hex(SHA256Digest.of(Array(text.utf8)))
    }

    /// A stored digest; nil if the text is not one.
    package init?(rawValue text: String) {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) else {
            return nil
        }
        rawValue = text.lowercased()
    }

    /// Compares every byte, so that the time is constant.
    package static func == (left: TokenDigest, right: TokenDigest) -> Bool {
        let (left, right) = (left.rawValue.utf8.span, right.rawValue.utf8.span)
        var difference: UInt8 = 0
        for index in 0..<64 { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}

/// The body of `PATCH /devices/{name}`. A member that is left out stays as it is.
struct DeviceLimits: Decodable {
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
