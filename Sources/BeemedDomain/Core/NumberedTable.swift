/// Values by sequence number, as a dictionary has them and in a third of the room: a dictionary
/// keeps up to three empty places for every value it holds, and a pending event is a large value.
///
/// The values stand in pages that are never moved, and an index says where each of them is.
struct NumberedTable<Value: Sendable>: Sendable {
    private var pages: [[Value?]] = []
    private var places: [SequenceNumber: UInt32] = [:]
    /// Places that were given up, to be taken again.
    private var free: [UInt32] = []

    /// So many values stand in one page.
    private static var pageSize: UInt32 { 512 }

    /// How many values there are.
    var count: Int { places.count }

    /// How many pages there are, each for so many values.
    var pageCount: Int { pages.count }

    /// All of them, in no order.
    var values: some Sequence<Value> { pages.lazy.joined().compactMap { $0 } }

    /// Makes room in the index for so many values.
    mutating func reserveCapacity(_ count: Int) {
        places.reserveCapacity(count)
    }

    subscript(_ number: SequenceNumber) -> Value? {
        get {
            guard let place = places[number] else { return nil }
            return self[at: place]
        }
        _modify {
            let place = places[number] ?? take(number)
            yield &self[at: place]
            if self[at: place] == nil { giveUp(place, number) }
        }
    }

    private subscript(at place: UInt32) -> Value? {
        get {
            let (page, index) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            return pages[Int(page)][Int(index)]
        }
        _modify {
            let (page, index) = place.quotientAndRemainder(dividingBy: Self.pageSize)
            yield &pages[Int(page)][Int(index)]
        }
    }

    private mutating func take(_ number: SequenceNumber) -> UInt32 {
        if free.isEmpty {
            let first = UInt32(pages.count) * Self.pageSize
            pages.append(Array(repeating: nil, count: Int(Self.pageSize)))
            free = (first..<(first + Self.pageSize)).reversed()
        }
        let place = free.removeLast()
        places[number] = place
        return place
    }

    private mutating func giveUp(_ place: UInt32, _ number: SequenceNumber) {
        places[number] = nil
        free.append(place)
    }
}
