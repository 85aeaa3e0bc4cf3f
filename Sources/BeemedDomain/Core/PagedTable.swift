/// Values by sequence number, as a dictionary has them, in a third of the room and a fraction of
/// the time: a dictionary keeps up to three empty places for every value it holds, and a pending
/// event is a large value; and it guards against keys that somebody has chosen to collide, which
/// our own numbers never are.
///
/// The values stand in pages that are never moved, and an index says where each of them is.
struct PagedTable<Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        var number = SequenceNumber(0)
        var value: Value?
    }

    private var pages: [[Slot]] = []
    private var index = HashIndex()
    /// Places that were given up, to be taken again.
    private var free: [UInt32] = []

    /// So many values stand in one page.
    private static var pageSize: UInt32 { 512 }

    /// How many values there are.
    var count: Int { index.count }

    /// How many pages there are, each for so many values.
    var pageCount: Int { pages.count }

    /// All of them, in no order.
    var values: some Sequence<Value> { pages.lazy.joined().compactMap(\.value) }

    /// Makes room in the index for so many values.
    mutating func reserveCapacity(_ count: Int) {
        index.reserve(count)
    }

    subscript(_ number: SequenceNumber) -> Value? {
        get {
            guard let place = place(of: number) else { return nil }
            return value(at: place)
        }
        _modify {
            let place = place(of: number) ?? take(number)
            yield &self[at: place].value
            if self[at: place].value == nil { giveUp(place, number) }
        }
    }

    /// Where a number's value stands, for as long as it is there.
    func place(of number: SequenceNumber) -> UInt32? {
        index.place(hash(number)) { self[at: $0].number == number }
    }

    /// The value in a place.
    func value(at place: UInt32) -> Value? { self[at: place].value }

    private subscript(at place: UInt32) -> Slot {
        _read {
            let (page, slot) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            yield pages[Int(page)][Int(slot)]
        }
        _modify {
            let (page, slot) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            yield &pages[Int(page)][Int(slot)]
        }
    }

    /// Sixteen numbers that follow each other stay together, since they are asked for together; the
    /// groups are far apart (Knuth, volume 3, section 6.4, multiplicative hashing).
    private func hash(_ number: SequenceNumber) -> UInt32 {
        let group = (number.value >> 4) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(group >> 36) << 4 | UInt32(number.value & 15)
    }

    private mutating func take(_ number: SequenceNumber) -> UInt32 {
        if free.isEmpty {
            let first = UInt32(pages.count) * Self.pageSize
            pages.append(Array(repeating: Slot(), count: Int(Self.pageSize)))
            free = (first..<(first + Self.pageSize)).reversed()
        }
        let place = free.removeLast()
        self[at: place].number = number
        index.insert(hash(number), place)
        return place
    }

    private mutating func giveUp(_ place: UInt32, _ number: SequenceNumber) {
        index.remove(hash(number), place)
        free.append(place)
    }
}
