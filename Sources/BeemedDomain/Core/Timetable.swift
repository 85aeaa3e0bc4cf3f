/// The events that wait for a time, and the present.
struct Timetable: Sendable {
    /// The moment of the input that is being processed.
    var now = Monotonic(milliseconds: .min)
    private var times: [SequenceNumber: Monotonic] = [:]
    /// When the first of them is due; nil when none waits.
    private(set) var nextDue: Monotonic?

    /// When an event is due; nil when not waiting for a time.
    subscript(_ event: SequenceNumber) -> Monotonic? {
        get { times.isEmpty ? nil : times[event] }
        set {
            guard newValue != nil || !times.isEmpty else { return }
            let before = times[event]
            times[event] = newValue
            if before != nil, before == nextDue {
                nextDue = times.values.min()
            } else {
                nextDue = Monotonic.soonest(nextDue, newValue)
            }
        }
    }

    /// All events in the table, in order.
    var events: [SequenceNumber] { times.keys.sorted() }

    /// The events that are due, in order.
    var due: [SequenceNumber] {
        guard let nextDue, nextDue <= now else { return [] }
        return times.filter { $0.value <= now }.map(\.key).sorted()
    }
}
