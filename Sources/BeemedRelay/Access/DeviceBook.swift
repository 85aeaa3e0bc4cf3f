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
struct DeviceBook: Codable, Sendable, Equatable {
    private(set) var devices: [Device] = []

    private enum CodingKeys: String, CodingKey {
        case devices
    }

    /// The device that this token belongs to. What is compared are digests, so that the time it
    /// takes says nothing about any token.
    func device(bearing token: String) -> Device? {
        let hash = Token.hash(of: token)
        return devices.first { DeviceBook.isSame($0.tokenHash, hash) }
    }

    /// Compares in a time that depends on the lengths only.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
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
