/// A first-in, first-out queue; all operations take amortized constant time.
struct Queue<Element: Sendable>: Sendable {
    private var elements: [Element]
    private var head = 0

    init(_ elements: [Element] = []) { self.elements = elements }

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// At most this many of the first elements.
    func prefix(_ count: Int) -> ArraySlice<Element> {
        elements[head..<min(elements.count, head + count)]
    }

    /// The element at that position, counted from the first.
    subscript(_ index: Int) -> Element { elements[head + index] }

    /// Inserts elements before the first one.
    mutating func prepend(_ first: [Element]) {
        guard !first.isEmpty else { return }
        if first.count <= head {
            head -= first.count
            elements.replaceSubrange(head..<(head + first.count), with: first)
        } else {
            elements.insert(contentsOf: first, at: head)
        }
    }

    mutating func insert(_ element: Element, at index: Int) {
        if index == count {
            elements.append(element)
        } else {
            elements.insert(element, at: head + index)
        }
    }

    @discardableResult
    mutating func remove(at index: Int) -> Element {
        defer { if head == elements.count { self = Queue() } }
        return elements.remove(at: head + index)
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 4_096)
            head = 0
        } else if head > 1_024, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll() -> [Element] {
        defer { self = Queue() }
        return Array(elements[head...])
    }
}

extension RandomAccessCollection {
    /// The first index whose element belongs to the second part; `endIndex` if none does. All
    /// elements of the first part must come before it. A binary search.
    package func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Index {
        var (start, rest) = (startIndex, count)
        while rest > 0 {
            let half = rest / 2
            let middle = index(start, offsetBy: half)
            if isInSecondPart(self[middle]) {
                rest = half
            } else {
                start = index(after: middle)
                rest -= half + 1
            }
        }
        return start
    }
}
