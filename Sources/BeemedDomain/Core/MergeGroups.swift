/// The presses of each merged datapoint, by the press that leads it: what they add up to, and how
/// much of that Beeminder has.
///
/// Every change has the number of the record that caused it. A datapoint that was sent when all
/// records up to `n` were durable shows every change up to `n`; what came later is still to be
/// sent. Both are in the journal, so a restart knows as much.
struct MergeGroups: Sendable {
    /// One datapoint.
    struct Group: Sendable {
        /// The presses besides the leader that were not taken back, in order. Some may not be
        /// durable yet.
        fileprivate(set) var parts: [SequenceNumber] = []
        /// How many of them are durable, and so count.
        fileprivate(set) var counted = 0
        /// The values of those.
        fileprivate(set) var sum = CompensatedSum()
        /// The last record by which a press came to count.
        fileprivate(set) var joined = SequenceNumber(0)
        /// The last record by which a press was taken back.
        fileprivate(set) var lowered = SequenceNumber(0)
        /// Every change up to this record is shown.
        fileprivate(set) var shown = SequenceNumber(0)

        /// Whether Beeminder has not been told of everything.
        var isStale: Bool { max(joined, lowered) > shown }
        /// Whether a part is still on its way to the disk.
        var isGrowing: Bool { counted < parts.count }
    }

    private var groups: [SequenceNumber: Group] = [:]

    subscript(_ leader: SequenceNumber) -> Group? { groups[leader] }

    /// The presses of a datapoint besides the leader, in order.
    func parts(of leader: SequenceNumber) -> [SequenceNumber] { groups[leader]?.parts ?? [] }

    /// Whether other presses than the leader count in its datapoint, or are about to.
    func hasParts(_ leader: SequenceNumber) -> Bool { groups[leader]?.parts.isEmpty == false }

    /// A press joins, before it is durable.
    mutating func join(_ part: SequenceNumber, _ leader: SequenceNumber) {
        groups[leader, default: Group()].insert(part)
    }

    /// A press that has joined is durable since that record, and counts.
    mutating func count(
        _ value: Double, in leader: SequenceNumber, since record: SequenceNumber
    ) {
        groups[leader]?.counted += 1
        groups[leader]?.sum.add(value)
        if let joined = groups[leader]?.joined { groups[leader]?.joined = max(joined, record) }
    }

    /// A press that did not become durable goes.
    mutating func withdraw(_ part: SequenceNumber, from leader: SequenceNumber) {
        groups[leader]?.remove(part)
        if let group = groups[leader], group.parts.isEmpty, !group.isStale { remove(leader) }
    }

    /// A press that counted was taken back by that record.
    mutating func takeBack(
        _ part: SequenceNumber, _ value: Double, _ leader: SequenceNumber,
        by record: SequenceNumber
    ) {
        guard leave(part, value, leader) else { return }
        lower(leader, by: record)
    }

    /// That record has taken a press out of the datapoint.
    mutating func lower(_ leader: SequenceNumber, by record: SequenceNumber) {
        guard let lowered = groups[leader]?.lowered else { return }
        groups[leader]?.lowered = max(lowered, record)
    }

    /// Beeminder would not add a press to the datapoint: it never showed there.
    ///
    /// - Parameter joined: the last record by which one of the others came to count.
    mutating func refuse(
        _ part: SequenceNumber, _ value: Double, _ leader: SequenceNumber, joined: SequenceNumber
    ) {
        if leave(part, value, leader) { groups[leader]?.joined = joined }
    }

    private mutating func leave(
        _ part: SequenceNumber, _ value: Double, _ leader: SequenceNumber
    ) -> Bool {
        guard groups[leader]?.remove(part) == true else { return false }
        groups[leader]?.counted -= 1
        groups[leader]?.sum.subtract(value)
        return true
    }

    /// A press belonged to the datapoint in an earlier process and does not any more.
    mutating func restore(_ leader: SequenceNumber) {
        if groups[leader] == nil { groups[leader] = Group() }
    }

    /// Beeminder's datapoint shows every change up to that record.
    mutating func show(_ leader: SequenceNumber, through record: SequenceNumber) {
        guard let shown = groups[leader]?.shown else { return }
        groups[leader]?.shown = max(shown, record)
    }

    /// The datapoint is gone, or forgotten.
    mutating func remove(_ leader: SequenceNumber) {
        groups[leader] = nil
    }
}

extension MergeGroups.Group {
    fileprivate mutating func insert(_ part: SequenceNumber) {
        let place = place(of: part)
        if place == parts.count || parts[place] != part { parts.insert(part, at: place) }
    }

    /// - Returns: whether it was there.
    @discardableResult
    fileprivate mutating func remove(_ part: SequenceNumber) -> Bool {
        let place = place(of: part)
        guard place < parts.count, parts[place] == part else { return false }
        parts.remove(at: place)
        return true
    }

    private func place(of part: SequenceNumber) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle] < part { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
