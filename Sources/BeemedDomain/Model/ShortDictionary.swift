/// A dictionary of few keys, such as the goals and the devices with waiting presses. A list, in the
/// order in which keys came: to hash a name takes ten times as long as to compare it with another
/// one, and a press looks for four.
struct ShortDictionary<Key: Equatable, Value>: Sequence {
    private var elements: [(key: Key, value: Value)] = []

    var isEmpty: Bool { elements.isEmpty }
    var count: Int { elements.count }
    var keys: [Key] { elements.map(\.key) }
    var values: [Value] { elements.map(\.value) }

    func makeIterator() -> some IteratorProtocol<(key: Key, value: Value)> {
        elements.makeIterator()
    }

    private func index(of key: Key) -> Int? { elements.firstIndex { $0.key == key } }

    subscript(key: Key) -> Value? {
        get { index(of: key).map { elements[$0].value } }
        set {
            if let index = index(of: key) {
                if let newValue {
                    elements[index].value = newValue
                } else {
                    elements.remove(at: index)
                }
            } else if let newValue {
                elements.append((key, newValue))
            }
        }
    }
}
