import BeemedDomain
import Foundation

/// Why a device cannot be added.
enum DeviceFault: Error, Equatable {
    case unusableName(String)
    case nameTaken(String)
    case unusableGoal(String)
    case unusableRight(String)
    case unusableValue
    case foreignGoal(String)
    case unknown(String)
}

/// All devices, as they are kept in `devices.json`.
struct DeviceBook: Codable, Sendable {
    private(set) var devices: [Device] = []

    private enum CodingKeys: String, CodingKey {
        case devices
    }

    /// The digests of the devices' tokens, in the same order.
    private var digests: [TokenDigest?] = []
    /// Another number after every change.
    private(set) var revision = UInt64.random(in: 0 ... .max)

    init() {}

    init(from decoder: any Decoder) throws {
        devices = try decoder.container(keyedBy: CodingKeys.self)
            .decode([Device].self, forKey: .devices)
        digests = devices.map { TokenDigest(hex: $0.tokenHash) }
    }

    /// The place among `devices` of the one whose token has this digest. Digests are compared, not
    /// tokens, so that the time it takes says nothing about any token.
    func place(of digest: TokenDigest) -> Int? {
        digests.firstIndex { $0 == digest }
    }

    /// Adds a device and makes its token.
    ///
    /// - Parameters:
    ///   - goals: the only ones it may log to; nil is all of them.
    ///   - goal: the one of a press that names none.
    ///   - value: that of a press that has none.
    /// - Throws: `DeviceFault`; nothing was added.
    mutating func add(
        name: String, rights: [String], goals: [String]?, goal: String? = nil, value: Double? = nil
    ) throws(DeviceFault) -> Token {
        guard DeviceName(name) != nil else { throw .unusableName(name) }
        guard name != Device.owner, index(of: name) == nil else { throw .nameTaken(name) }
        var parsed: [Right] = []
        for right in rights {
            guard let known = Right(rawValue: right) else { throw .unusableRight(right) }
            parsed.append(known)
        }
        for goal in (goals ?? []) + [goal].compactMap(\.self) where GoalSlug(goal) == nil {
            throw .unusableGoal(goal)
        }
        if let goal, let goals, !goals.contains(goal) { throw .foreignGoal(goal) }
        guard value?.isFinite ?? true else { throw .unusableValue }
        let token = Token.random()
        devices.append(
            Device(
                name: name, tokenHash: token.hash, rights: parsed, goals: goals, goal: goal,
                value: value))
        digests.append(TokenDigest(of: token.text))
        revision &+= 1
        return token
    }

    /// Gives a device another token; the old one is good for nothing from now on.
    ///
    /// - Throws: `DeviceFault.unknown`.
    mutating func rotate(_ name: String) throws(DeviceFault) -> Token {
        guard let index = index(of: name) else { throw .unknown(name) }
        let token = Token.random()
        devices[index].tokenHash = token.hash
        digests[index] = TokenDigest(of: token.text)
        revision &+= 1
        return token
    }

    /// Removes a device. What it has sent goes its way.
    ///
    /// - Throws: `DeviceFault.unknown`.
    mutating func remove(_ name: String) throws(DeviceFault) {
        guard let index = index(of: name) else { throw .unknown(name) }
        devices.remove(at: index)
        digests.remove(at: index)
        revision &+= 1
    }

    private func index(of name: String) -> Int? {
        devices.firstIndex { $0.name == name }
    }
}

extension DeviceFault {
    /// For people, with what to do.
    var advice: String {
        switch self {
        case .unusableName(let name):
            "'\(name)' cannot name a device; use 1 to 32 letters, digits, '-' and '_'"
        case .nameTaken(let name):
            "there is a device '\(name)' already; choose another name"
        case .unusableGoal(let goal):
            "'\(goal)' cannot be a goal; use the name from its Beeminder URL"
        case .unusableRight(let right):
            "'\(right)' is no right; choose among log, read and manage"
        case .unusableValue:
            "the value must be a number, as in 0.25"
        case .foreignGoal(let goal):
            "the goal '\(goal)' is not among those it may log to; add it there or leave it out"
        case .unknown(let name):
            "there is no device '\(name)'; 'beemed-relay device list' names them"
        }
    }
}
