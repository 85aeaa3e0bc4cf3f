/// The events that are in no goal's queue because something must happen first, and the present.
struct WaitingEvents: Sendable {
    /// Why nothing is requested for an event now.
    enum Reason: Hashable, Sendable {
        /// The relay's clock was not set when the event came: its time is repaired first.
        case clock
        /// The guards of its preset cannot be evaluated yet.
        case guards
        /// More presses may join its datapoint, or one that joined is not durable yet.
        case window
        /// The value of its day falls, and those of other days of its goal rise first.
        case order
        /// Its goal is in no list, and another goal has got its name: a person must restore it there
        /// or send the event to another goal.
        case goal
        /// An earlier request may still be applied, or the next value of a day comes too soon.
        case time(Monotonic)

        var time: Monotonic? { if case .time(let time) = self { time } else { nil } }
    }

    /// The moment of the input that is being processed.
    var now = Monotonic(milliseconds: .min)
    private var reasons: [SequenceNumber: Reason] = [:]
    /// When the first event is due that waits for a time; nil when none does.
    private(set) var nextDue: Monotonic?
    /// How many wait for each reason but a time: each turn looks for them.
    private var counts: [Reason: Int] = [:]

    /// Why an event waits; nil when it does not.
    subscript(_ event: SequenceNumber) -> Reason? {
        get { reasons.isEmpty ? nil : reasons[event] }
        set {
            guard newValue != nil || !reasons.isEmpty else { return }
            let before = reasons[event]
            reasons[event] = newValue
            if let before { count(before, -1) }
            if let newValue { count(newValue, 1) }
            if let time = before?.time, time == nextDue {
                nextDue = reasons.values.lazy.compactMap(\.time).min()
            } else {
                nextDue = Monotonic.soonest(nextDue, newValue?.time)
            }
        }
    }

    private mutating func count(_ reason: Reason, _ step: Int) {
        guard reason.time == nil else { return }
        let count = (counts[reason] ?? 0) + step
        counts[reason] = count == 0 ? nil : count
    }

    /// The events that wait for a time, in order.
    var timed: [SequenceNumber] {
        reasons.filter { $0.value.time != nil }.map(\.key).sorted()
    }

    /// The events that are due, in order.
    var due: [SequenceNumber] {
        guard let nextDue, nextDue <= now else { return [] }
        return reasons.filter { $0.value.time.map { $0 <= now } ?? false }.map(\.key).sorted()
    }

    /// The events that wait for something else than a time, in order.
    var untimed: [SequenceNumber] {
        counts.isEmpty ? [] : reasons.filter { $0.value.time == nil }.map(\.key).sorted()
    }

    /// The events that wait for this reason, in order.
    func events(for reason: Reason) -> [SequenceNumber] {
        guard !counts.isEmpty, counts[reason] != nil else { return [] }
        return reasons.filter { $0.value == reason }.map(\.key).sorted()
    }

    /// How many wait for this reason, which is no time.
    func count(for reason: Reason) -> Int { counts[reason] ?? 0 }
}
