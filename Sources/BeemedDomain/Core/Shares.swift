/// Limits the share of each user of one bounded store.
///
/// A user may hold at most four times what is free (dynamic thresholds; Choudhury and Hahne, 1998),
/// so there is always room left for a user with little: one user alone gets four fifths, two get
/// four ninths each.
package final class Shares<User: Equatable & Sendable> {
    /// The size of the store in bytes.
    let capacity: Int
    /// The bytes held by all users.
    private(set) var total = 0
    private var held = ShortDictionary<User, Int>()
    /// The maximum ratio of what a user holds to what is free.
    private static var times: Int { 4 }

    /// Creates an empty store.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// The bytes that this user holds.
    package func bytes(of user: User) -> Int { held[user] ?? 0 }

    /// Whether this user may add more. The addition itself may exceed the share.
    package func allows(_ user: User) -> Bool {
        let most = Shares.times * (capacity - total)
        // No user holds more than all do: without a crowd nobody is looked up.
        return total < most || bytes(of: user) < most
    }

    /// Whether this user may add that many bytes, with which it stays within its share.
    package func allows(_ user: User, adding bytes: Int) -> Bool {
        self.bytes(of: user) + bytes <= Shares.times * (capacity - total - bytes)
    }

    /// The users that may not add more.
    var exhausted: [User] {
        // Only a user that holds bytes can exceed its share while there is free space.
        held.keys.filter { !allows($0) }
    }

    /// The user that holds most among those; nil when none of them holds anything.
    func greatest(among isMeant: (User) -> Bool) -> User? {
        var greatest: (key: User, value: Int)?
        for held in held where held.value > greatest?.value ?? 0 && isMeant(held.key) {
            greatest = held
        }
        return greatest?.key
    }

    /// Changes the bytes of this user; negative to remove.
    package func change(_ bytes: Int, of user: User) {
        total += bytes
        let held = self.bytes(of: user) + bytes
        self.held[user] = held == 0 ? nil : held
    }
}

/// Limits how fast each device may fill the disk with presses that end without Beeminder: those
/// that a guard answered, and those that were undone. A press that was merged into the datapoint of
/// another one counts as a part of a press, since 5,000 such presses are delivered at once.
///
/// Sent presses are limited by Beeminder's pace, and waiting ones by `Ledger.waitingBytes`. These
/// presses have neither limit, and their lines go to the history for good. So each device has an
/// allowance that is given back by time (a leaky bucket). The allowance is full again when the
/// process starts, and no device can restart that.
struct DeviceQuota: Sendable {
    /// How many bytes of lines a device may have at once: about 80,000 presses.
    static let maxBytes = 16 << 20
    /// How many bytes are given back in a second: 4 MiB a day, about 20,000 presses.
    static let bytesPerSecond = Double(4 << 20) / 86_400

    private var allowances: [DeviceIdentity: Allowance] = [:]

    /// Whether no device has used any of its allowance.
    @inline(__always)
    var isEmpty: Bool { allowances.isEmpty }

    /// A merged press counts for this part of its line: a sensor may send three a second for ever.
    static let mergedPart = 1.0 / 16

    /// Counts the line of an event that ends without Beeminder, or was merged into the datapoint of
    /// another one.
    mutating func add(_ event: Event, isMerged: Bool = false) {
        let bytes = Double(event.lineBytes) * (isMerged ? DeviceQuota.mergedPart : 1)
        let whole = Allowance(
            atOnce: DeviceQuota.maxBytes, secondsEach: 1 / DeviceQuota.bytesPerSecond)
        allowances[event.key.identity, default: whole].take(bytes)
    }

    /// Whether a device has used up its allowance.
    ///
    /// - Returns: nil when it has not, else the seconds until the next press is accepted.
    mutating func wait(of device: DeviceIdentity, at now: Monotonic) -> Double? {
        guard var allowance = allowances[device] else { return nil }
        let seconds = allowance.wait(for: 0, at: now)
        allowances[device] = allowance.isWhole ? nil : allowance
        return seconds
    }

    /// The devices that have used up their allowance.
    func exhausted(at now: Monotonic) -> [DeviceIdentity] {
        allowances.filter { entry in
            var allowance = entry.value
            return allowance.wait(for: 0, at: now) != nil
        }.map(\.key)
    }
}
