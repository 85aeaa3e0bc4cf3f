import BeemedDomain
import Foundation

/// Why a device cannot be added.
enum DeviceFault: Error, Equatable {
    case unusableName(String)
    case nameTaken(String)
    case unusableGoal(String)
    case unusableRight(String)
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
    /// - Throws: `DeviceFault`; nothing was added.
    mutating func add(
        name: String, rights: [String], goals: [String]?
    ) throws(DeviceFault) -> Token {
        guard DeviceName(name) != nil else { throw .unusableName(name) }
        guard !devices.contains(where: { $0.name == name }) else { throw .nameTaken(name) }
        var parsed: [Right] = []
        for right in rights {
            guard let known = Right(rawValue: right) else { throw .unusableRight(right) }
            parsed.append(known)
        }
        for goal in goals ?? [] where GoalSlug(goal) == nil { throw .unusableGoal(goal) }
        let token = Token.random()
        devices.append(Device(name: name, tokenHash: token.hash, rights: parsed, goals: goals))
        digests.append(TokenDigest(of: token.text))
        revision &+= 1
        return token
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
        }
    }
}
