/// A dictionary that knows where the value is that was changed last.
///
/// Most presses are to the goal of the press before. To compute a hash and compare names again in
/// each of the tables by goal took a thirtieth of a press.
struct RecentDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// All values, for reading.
    private(set) var all: [Key: Value] = [:]
    /// The key of the value that was changed last, and its place; nil when places have changed.
    private var recent: (key: Key, place: Dictionary<Key, Value>.Index)?

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }
    var keys: Dictionary<Key, Value>.Keys { all.keys }
    var values: Dictionary<Key, Value>.Values { all.values }

    /// The value of a key; nil removes it.
    subscript(_ key: Key) -> Value? {
        get { all[key] }
        _modify {
            recent = nil
            yield &all[key]
        }
    }

    /// The value of a key, which is added if it is missing. Only changes are to use this.
    subscript(_ key: Key, default value: @autoclosure () -> Value) -> Value {
        get { all[key] ?? value() }
        _modify {
            let place = place(of: key, value)
            yield &all.values[place]
        }
    }

    private mutating func place(
        of key: Key, _ value: () -> Value
    ) -> Dictionary<Key, Value>.Index {
        if let recent, recent.key == key { return recent.place }
        if let place = all.index(forKey: key) {
            recent = (key, place)
            return place
        }
        all[key] = value()
        recent = nil
        return place(of: key, value)
    }

    /// Removes a key.
    ///
    /// - Returns: its value; nil without one.
    mutating func removeValue(forKey key: Key) -> Value? {
        recent = nil
        return all.removeValue(forKey: key)
    }
}
