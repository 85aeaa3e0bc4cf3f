/// What the line of an accepted event has in common with the next one: presses of one batch have
/// mostly come at the same time, and often from the same device, to the same goal. To write these
/// members again took half of a line.
struct RepeatedMembers: Sendable {
    /// Where members are, each with the comma before it; nil for those that differ.
    struct Places: Sendable {
        /// The sender.
        var sender: Range<Int>?
        /// The goal, the value and the comment.
        var content: Range<Int>?
        /// The time and the account.
        var arrival: Range<Int>?
    }

    /// The event of the last line; nil before the first one.
    private var event: Event?
    private var places = Places()

    /// Takes over the places in the line of an event.
    mutating func add(_ event: Event, _ places: Places) {
        (self.event, self.places) = (event, places)
    }

    /// The last line is not there any more.
    mutating func forget() { event = nil }

    /// Where members of this event's line are already.
    @inline(__always)  // A call would copy the value.
    func places(for next: Event) -> Places {
        guard let event else { return Places() }
        return Places(
            sender: next.hasSameDevice(as: event) ? places.sender : nil,
            content: next.hasSameGoal(as: event) && next.hasSameValue(as: event)
                && next.comment.hasSameBytes(as: event.comment)
                ? places.content : nil,
            arrival: next.hasSameArrival(as: event) ? places.arrival : nil)
    }
}
