/// The events that are in no goal's queue because something must happen first, and the present.
final class WaitingEvents {
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

    /// Why an event waits; nil when it does not.
    subscript(_ event: SequenceNumber) -> Reason? {
        get { reasons.isEmpty ? nil : reasons[event] }
        set {
            guard newValue != nil || !reasons.isEmpty else { return }
            var changed = reasons
            reasons = [:]  // Else it is copied.
            changed[event] = newValue
            reasons = changed
        }
    }

    /// When the first event is due that waits for a time; nil when none does.
    var nextDue: Monotonic? {
        let all = reasons
        return all.values.lazy.compactMap(\.time).min()
    }

    /// The events that wait for a time, in order.
    var timed: [SequenceNumber] { events { $0.time != nil } }

    /// The events that are due, in order.
    var due: [SequenceNumber] { events { $0.time.map { $0 <= now } ?? false } }

    /// The events that wait for something else than a time, in order.
    var untimed: [SequenceNumber] { events { $0.time == nil } }

    /// The events that wait for this reason, in order.
    func events(for reason: Reason) -> [SequenceNumber] { events { $0 == reason } }

    /// How many wait for this reason.
    func count(for reason: Reason) -> Int {
        let all = reasons
        return all.values.count { $0 == reason }
    }

    private func events(_ isMeant: (Reason) -> Bool) -> [SequenceNumber] {
        let all = reasons
        return all.filter { isMeant($0.value) }.map(\.key).sorted()
    }
}
