/// Values by sequence number, in a third of a dictionary's memory and a fraction of its time. A
/// dictionary keeps up to three empty places for every value, and a pending event is a large value.
/// It also protects against chosen keys that collide, which our own numbers never are.
///
/// The values are in pages that never move; an index has the position of each of them.
struct PagedTable<Value: Sendable>: Sendable {
    private var pages: [[Value?]] = []
    /// The number of each value. Reading all of them must not read the large values, too.
    private var numberPages: [[SequenceNumber]] = []
    private var index = HashIndex()
    /// Free positions, to be reused.
    private var free: [UInt32] = []
    /// The greatest number so far: a greater one is new and need not be looked for.
    private var greatest = SequenceNumber(0)

    /// The number of values in a page.
    private static var pageSize: UInt32 { 512 }

    /// Marks a position without a value.
    private static var unused: SequenceNumber { SequenceNumber(.max) }

    /// The number of values.
    var count: Int { index.count }

    /// The number of pages.
    var pageCount: Int { pages.count }

    /// The values of one page, in no order.
    func values(ofPage page: Int) -> some Sequence<Value> { pages[page].lazy.compactMap { $0 } }

    /// All values, in no order.
    var values: some Sequence<Value> { pages.lazy.joined().compactMap { $0 } }

    /// The numbers of all values, in no order.
    var numbers: some Sequence<SequenceNumber> {
        numberPages.lazy.joined().filter { $0 != Self.unused }
    }

    /// Reserves capacity in the index for this many values.
    mutating func reserveCapacity(_ count: Int) {
        index.reserve(count)
    }

    subscript(_ number: SequenceNumber) -> Value? {
        get {
            guard let place = place(of: number) else { return nil }
            return value(at: place)
        }
        _modify {
            let place = place(of: number) ?? allocate(number)
            yield &self[at: place]
            if self[at: place] == nil { giveUp(place, number) }
        }
    }

    /// Adds or replaces the value of a number.
    ///
    /// - Returns: its position.
    mutating func insert(_ value: consuming Value, _ number: SequenceNumber) -> UInt32 {
        let known = number > greatest ? nil : place(of: number)
        let place = known ?? allocate(number)
        self[at: place] = value
        return place
    }

    /// The position of a number's value, valid while the value exists.
    func place(of number: SequenceNumber) -> UInt32? {
        index.place(hash(number)) { place in
            let (page, slot) = Self.split(place)
            return numberPages[page][slot] == number
        }
    }

    /// The value at a position.
    func value(at place: UInt32) -> Value? { self[at: place] }

    /// Changes the value at a position.
    ///
    /// - Returns: the value as it is now; nil without one.
    @discardableResult
    mutating func change(at place: UInt32, _ body: (inout Value) -> Void) -> Value? {
        guard var value = self[at: place].take() else { return nil }
        body(&value)
        self[at: place] = value
        return value
    }

    /// Changes the value at a position in place; it must stay one.
    mutating func update(at place: UInt32, _ body: (inout Value?) -> Void) {
        let (page, slot) = Self.split(place)
        body(&pages[page][slot])
    }

    private subscript(at place: UInt32) -> Value? {
        _read {
            let (page, slot) = Self.split(place)
            yield pages[page][slot]
        }
        _modify {
            let (page, slot) = Self.split(place)
            yield &pages[page][slot]
        }
    }

    private static func split(_ place: UInt32) -> (page: Int, slot: Int) {
        let (page, slot) = place.quotientAndRemainder(dividingBy: pageSize)
        return (Int(page), Int(slot))
    }

    private mutating func set(_ number: SequenceNumber, at place: UInt32) {
        let (page, slot) = Self.split(place)
        numberPages[page][slot] = number
    }

    /// Eight consecutive numbers stay together, since they are used together; the groups are
    /// spread (Knuth, volume 3, section 6.4, multiplicative hashing). Larger ones collide as a
    /// whole, and each of their numbers is looked for behind all of the other's.
    private func hash(_ number: SequenceNumber) -> UInt32 {
        let group = (number.value >> 3) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(group >> 35) << 3 | UInt32(number.value & 7)
    }

    private mutating func allocate(_ number: SequenceNumber) -> UInt32 {
        if free.isEmpty {
            let first = UInt32(pages.count) * Self.pageSize
            pages.append(Array(repeating: nil, count: Int(Self.pageSize)))
            numberPages.append(Array(repeating: Self.unused, count: Int(Self.pageSize)))
            free = (first..<(first + Self.pageSize)).reversed()
        }
        let place = free.removeLast()
        greatest = max(greatest, number)
        set(number, at: place)
        index.insert(hash(number), place)
        return place
    }

    private mutating func giveUp(_ place: UInt32, _ number: SequenceNumber) {
        index.remove(hash(number), place)
        set(Self.unused, at: place)
        free.append(place)
    }
}
