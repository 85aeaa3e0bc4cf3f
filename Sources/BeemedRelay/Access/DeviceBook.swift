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
    case unusableDigest(String)
    case identityTaken(String)
    case tokenTaken(String)
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
    ///   - strict: whether its presses are refused for a name that means nothing.
    /// - Throws: `DeviceFault`; nothing was added.
    mutating func add(
        name: String, rights: [String], goals: [String]?, goal: String? = nil,
        value: Double? = nil, strict: Bool = false
    ) throws(DeviceFault) -> Token {
        guard let deviceName = DeviceName(name) else { throw .unusableName(name) }
        guard name != Device.owner, index(of: name) == nil else { throw .nameTaken(name) }
        var parsed: [Right] = []
        for right in rights {
            guard let known = Right(rawValue: right) else { throw .unusableRight(right) }
            parsed.append(known)
        }
        let token = Token.random()
        let device = Device(
            name: name, generation: newGeneration(for: deviceName), tokenHash: token.hash,
            rights: parsed, goals: goals, goal: goal, value: value, strict: strict ? true : nil)
        try DeviceBook.check(device)
        append(device)
        return token
    }

    /// Takes over a device as another relay has exported it, with its identity and its token.
    ///
    /// - Returns: whether it is new here; not when it is known exactly so.
    /// - Throws: `DeviceFault` when another device has its name, its token or its request ids;
    ///   nothing was added.
    mutating func adopt(_ device: Device) throws(DeviceFault) -> Bool {
        guard let identity = device.identity else { throw .unusableName(device.name) }
        guard device.name != Device.owner else { throw .nameTaken(device.name) }
        guard let digest = TokenDigest(hex: device.tokenHash) else {
            throw .unusableDigest(device.name)
        }
        try DeviceBook.check(device)
        if devices.contains(device) { return false }
        guard index(of: device.name) == nil, !isTaken(identity) else {
            throw .identityTaken(device.name)
        }
        if let place = place(of: digest) { throw .tokenTaken(devices[place].name) }
        append(device)
        return true
    }

    private static func check(_ device: Device) throws(DeviceFault) {
        let (goal, goals) = (device.goal, device.goals)
        for goal in (goals ?? []) + [goal].compactMap(\.self) where GoalSlug(goal) == nil {
            throw .unusableGoal(goal)
        }
        if let goal, let goals, !goals.contains(goal) { throw .foreignGoal(goal) }
        guard (device.value ?? 1).magnitude <= Press.greatestValue else { throw .unusableValue }
    }

    private mutating func append(_ device: Device) {
        devices.append(device)
        digests.append(TokenDigest(hex: device.tokenHash))
        revision &+= 1
    }

    /// One under which no other device sends.
    private func newGeneration(for name: DeviceName) -> DeviceGeneration {
        var chance = SystemRandomNumberGenerator()
        var generation: DeviceGeneration
        repeat {
            generation = .random(using: &chance)
        } while isTaken(DeviceIdentity(name: name, generation: generation))
        return generation
    }

    /// Whether a device's request ids begin so: a device without a generation may be named like
    /// another one with its generation.
    private func isTaken(_ identity: DeviceIdentity) -> Bool {
        devices.contains { $0.identity?.description == identity.description }
    }

    /// Gives a device another token; the old one is good for nothing from now on. It stays the same
    /// device, so what it sends again is known.
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
            "the value must be a number from -1e15 to 1e15, as in 0.25"
        case .foreignGoal(let goal):
            "the goal '\(goal)' is not among those it may log to; add it there or leave it out"
        case .unknown(let name):
            "there is no device '\(name)'; 'beemed-relay device list' names them"
        case .unusableDigest(let name):
            "the token of '\(name)' must be given as its SHA-256 in 64 hex digits, as "
                + "'beemed-relay device export' prints it"
        case .identityTaken(let name):
            "there is another device '\(name)' here already, with another identity, token, rights "
                + "or goals; if it is to be replaced, remove it first"
        case .tokenTaken(let name):
            "its token is that of the device '\(name)'; remove that one first"
        }
    }
}
