/// Values by sequence number, as a dictionary has them, in a third of the room and a fraction of
/// the time: a dictionary keeps up to three empty places for every value it holds, and a pending
/// event is a large value; and it guards against keys that somebody has chosen to collide, which
/// our own numbers never are.
///
/// The values stand in pages that are never moved, and an index with open addressing says where
/// each of them is.
struct NumberedTable<Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        var number = SequenceNumber(0)
        var value: Value?
    }

    private var pages: [[Slot]] = []
    /// Places that were given up, to be taken again.
    private var free: [UInt32] = []
    /// One more than the place of a number, at its `home` or behind it; zero where none is. At
    /// most half of it is in use.
    private var index: [UInt32] = []
    /// How many values there are.
    private(set) var count = 0

    /// So many values stand in one page.
    private static var pageSize: UInt32 { 512 }

    /// How many pages there are, each for so many values.
    var pageCount: Int { pages.count }

    /// All of them, in no order.
    var values: some Sequence<Value> { pages.lazy.joined().compactMap(\.value) }

    /// Makes room in the index for so many values.
    mutating func reserveCapacity(_ count: Int) {
        if 2 * count > index.count { rebuild(for: count) }
    }

    subscript(_ number: SequenceNumber) -> Value? {
        get {
            guard let position = position(of: number) else { return nil }
            return self[at: index[position] - 1].value
        }
        _modify {
            let place = position(of: number).map { index[$0] - 1 } ?? take(number)
            yield &self[at: place].value
            if self[at: place].value == nil { giveUp(place, number) }
        }
    }

    private subscript(at place: UInt32) -> Slot {
        get {
            let (page, slot) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            return pages[Int(page)][Int(slot)]
        }
        _modify {
            let (page, slot) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            yield &pages[Int(page)][Int(slot)]
        }
    }

    private func numberStanding(at place: UInt32) -> SequenceNumber {
        let (page, slot) = place.quotientAndRemainder(dividingBy: Self.pageSize)
        return pages[Int(page)][Int(slot)].number
    }

    private mutating func take(_ number: SequenceNumber) -> UInt32 {
        if free.isEmpty {
            let first = UInt32(pages.count) * Self.pageSize
            pages.append(Array(repeating: Slot(), count: Int(Self.pageSize)))
            free = (first..<(first + Self.pageSize)).reversed()
        }
        if 2 * (count + 1) > index.count { rebuild(for: count + 1) }
        let place = free.removeLast()
        self[at: place].number = number
        enter(number, place)
        count += 1
        return place
    }

    private mutating func giveUp(_ place: UInt32, _ number: SequenceNumber) {
        guard let position = position(of: number) else { preconditionFailure("not in the index") }
        close(position)
        free.append(place)
        count -= 1
    }

    // MARK: The index

    /// Where a number belongs: numbers that follow each other are far apart (Knuth, volume 3,
    /// section 6.4, multiplicative hashing).
    private func home(of number: SequenceNumber) -> Int {
        let spread = number.value &* 0x9E37_79B9_7F4A_7C15
        return Int(spread >> UInt64(64 - index.count.trailingZeroBitCount))
    }

    private func position(of number: SequenceNumber) -> Int? {
        guard !index.isEmpty else { return nil }
        var position = home(of: number)
        while index[position] != 0 {
            if numberStanding(at: index[position] - 1) == number { return position }
            position = (position + 1) & (index.count - 1)
        }
        return nil
    }

    private mutating func enter(_ number: SequenceNumber, _ place: UInt32) {
        var position = home(of: number)
        while index[position] != 0 { position = (position + 1) & (index.count - 1) }
        index[position] = place + 1
    }

    /// Empties a position, and moves up those behind it that would not be found over the gap.
    private mutating func close(_ position: Int) {
        var gap = position
        var next = (gap + 1) & (index.count - 1)
        while index[next] != 0 {
            let wanted = home(of: numberStanding(at: index[next] - 1))
            let distance = (next - wanted) & (index.count - 1)
            if distance >= (next - gap) & (index.count - 1) {
                index[gap] = index[next]
                gap = next
            }
            next = (next + 1) & (index.count - 1)
        }
        index[gap] = 0
    }

    private mutating func rebuild(for count: Int) {
        var size = 1_024
        while size < 2 * count { size *= 2 }
        let places = index.filter { $0 != 0 }
        index = Array(repeating: 0, count: size)
        for place in places { enter(numberStanding(at: place - 1), place - 1) }
    }
}
