/// The parts of a journal that a start reads, the oldest first. When nothing known is stated in the
/// oldest part any more, it can be retired.
struct Ring: Sendable {
    /// A part behind which another one was begun.
    struct Part: Sendable, Equatable {
        let number: Int
        /// The number of its first record.
        let first: SequenceNumber
        var bytes: Int
    }

    /// The parts before the open one.
    var parts: [Part] = []
    /// Every event that the caller knows is stated in this record or in a later one.
    private(set) var stated = SequenceNumber(0)

    /// The caller has told what the journal must hold.
    mutating func hear(_ live: LiveSize) { stated = max(stated, live.stated) }

    /// The number of parts in which nothing known is stated.
    ///
    /// - Parameter first: the number of the open part's first record.
    func retirable(before first: SequenceNumber) -> Int {
        if first <= stated { return parts.count }
        return max(0, parts.partitioningIndex { $0.first > stated } - 1)
    }

    /// The events to be stated again, so that the oldest part can be retired: all its known events,
    /// when the parts hold more than twice what is known and some megabytes, or space is short.
    ///
    /// - Parameter open: the part that is appended to.
    func carrying(
        _ open: Part, _ live: LiveSize, _ limits: Journal.Limits, isShort: Bool
    ) -> CarryRequest? {
        let needed = parts[retirable(before: open.first)...]
        guard !needed.isEmpty else { return nil }
        let held = needed.reduce(open.bytes) { $0 + $1.bytes }
        guard isShort || held > 2 * live.bytes + limits.ringBytes else { return nil }
        let end = needed.dropFirst().first?.first ?? open.first
        return CarryRequest(before: end, forgetsSettled: isShort)
    }
}
