/// Limits the share of each user of one bounded store.
///
/// A user may hold at most four times the free space (dynamic thresholds; Choudhury and Hahne,
/// 1998). One user alone gets four fifths of the store, two get four ninths each, and there is
/// always room left for a user with little.
struct Shares<User: Hashable & Sendable>: Sendable {
    /// The size of the store, in bytes.
    let capacity: Int
    /// The bytes held by all users.
    private(set) var total = 0
    private var held = RecentDictionary<User, Int>()

    /// Creates an empty store.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The maximum ratio of a user's bytes to the free bytes.
    private static var factor: Int { 4 }

    /// The bytes that this user holds.
    func bytes(of user: User) -> Int { held.isEmpty ? 0 : held[user] ?? 0 }

    /// Whether this user may add more. The addition itself may exceed the share.
    func allows(_ user: User) -> Bool {
        let most = Self.factor * (capacity - total)
        // No user holds more than all do: without a crowd nobody is looked up.
        return total < most || bytes(of: user) < most
    }

    /// The users that may not add more.
    var exhausted: [User] {
        // Only a user that holds bytes can exceed its share while there is free space.
        held.keys.filter { !allows($0) }
    }

    /// Adds bytes of this user.
    ///
    /// - Returns: whether it held none before.
    mutating func add(_ bytes: Int, of user: User) -> Bool {
        let users = held.count
        change(bytes, of: user)
        return held.count > users
    }

    mutating func remove(_ bytes: Int, of user: User) {
        change(-bytes, of: user)
    }

    /// Changes the bytes of this user; negative to remove.
    mutating func change(_ bytes: Int, of user: User) {
        total += bytes
        if bytes < 0, held[user] == -bytes {
            held[user] = nil
        } else {
            held[user, default: 0] += bytes
        }
    }
}
