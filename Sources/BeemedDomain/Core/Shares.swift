/// How many bytes each of several users of one bounded store holds, and whether one of them may
/// have more.
///
/// A user may hold at most four times what is still free (dynamic thresholds; Choudhury and Hahne,
/// 1998). One user alone gets four fifths of the store, two get four ninths each, and there is
/// always room left for one that holds little.
struct Shares<User: Hashable & Sendable>: Sendable {
    /// The size of the store, in bytes.
    let capacity: Int
    /// What all of them hold, in bytes.
    private(set) var total = 0
    private var held: [User: Int] = [:]

    /// A store of which nothing is taken.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many times what is free one user may hold.
    private static var factor: Int { 4 }

    /// What this one holds, in bytes.
    func bytes(of user: User) -> Int { held[user] ?? 0 }

    /// Whether this one may have more. What it is given may go beyond its share.
    func allows(_ user: User) -> Bool {
        bytes(of: user) < Self.factor * (capacity - total)
    }

    /// Those that may not have more.
    var exhausted: [User] {
        // Who holds less than that of an empty store has its share wherever there is room.
        held.keys.filter { !allows($0) }
    }

    mutating func add(_ bytes: Int, of user: User) {
        change(bytes, of: user)
    }

    mutating func remove(_ bytes: Int, of user: User) {
        change(-bytes, of: user)
    }

    /// This one holds so many bytes more, or fewer when they are negative.
    mutating func change(_ bytes: Int, of user: User) {
        total += bytes
        let left = (held[user] ?? 0) + bytes
        held[user] = left == 0 ? nil : left
    }
}
