/// Limits the share of each user of one bounded store, or of a number of slots.
///
/// A user may hold at most a multiple of what is free (dynamic thresholds; Choudhury and Hahne,
/// 1998), so there is always room left for a user with little. For a store the multiple is four:
/// one user alone gets four fifths, two get four ninths each. For slots, for which others wait, it
/// is a third: one alone gets a quarter, two get a fifth each.
package struct Shares<User: Hashable & Sendable>: Sendable {
    /// The size of the store in bytes, or the number of slots.
    let capacity: Int
    /// The bytes or slots held by all users.
    private(set) var total = 0
    private var held: [User: Int] = [:]
    /// The maximum ratio of what a user holds to what is free.
    private let times, parts: Int

    /// Creates an empty store.
    package init(capacity: Int) {
        self.capacity = capacity
        (times, parts) = (4, 1)
    }

    /// Creates slots, each of which is held by one of these users, who may be named repeatedly.
    package init(places: Int, heldBy users: some Sequence<User>) {
        capacity = places
        (times, parts) = (1, 3)
        for user in users { change(1, of: user) }
    }

    /// The bytes that this user holds.
    package func bytes(of user: User) -> Int { held.isEmpty ? 0 : held[user] ?? 0 }

    /// Whether this user may add more. The addition itself may exceed the share.
    package func allows(_ user: User) -> Bool {
        let most = (times * (capacity - total) + parts - 1) / parts
        // No user holds more than all do: without a crowd nobody is looked up.
        return total < most || bytes(of: user) < most
    }

    /// Whether this user may add that many bytes, with which it stays within its share.
    package func allows(_ user: User, adding bytes: Int) -> Bool {
        parts * (self.bytes(of: user) + bytes) <= times * (capacity - total - bytes)
    }

    /// The user that gives a slot up when this user needs one and none is free: the user that holds
    /// most, and this user if it is among several such. Nil when nobody holds any.
    package func yielding(to user: User) -> User? {
        let most = held.keys.map(bytes).max()
        return most == bytes(of: user) ? user : held.keys.first { bytes(of: $0) == most }
    }

    /// The users that may not add more.
    var exhausted: [User] {
        // Only a user that holds bytes can exceed its share while there is free space.
        held.keys.filter { !allows($0) }
    }

    /// Adds bytes of this user.
    ///
    /// - Returns: whether the user held none before.
    mutating func add(_ bytes: Int, of user: User) -> Bool {
        let users = held.count
        change(bytes, of: user)
        return held.count > users
    }

    mutating func remove(_ bytes: Int, of user: User) {
        change(-bytes, of: user)
    }

    /// Changes the bytes of this user; negative to remove.
    package mutating func change(_ bytes: Int, of user: User) {
        total += bytes
        if bytes < 0, held[user] == -bytes {
            held[user] = nil
        } else {
            held[user, default: 0] += bytes
        }
    }
}
