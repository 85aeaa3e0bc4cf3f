/// Decides whether a goal's events are sent together after a batch was not accepted, or its outcome
/// was unclear.
struct BatchTrust: Sendable {
    /// The number of requests that must carry one event each.
    private var singly = 0
    /// How often a batch failed as a whole while single events before and after were accepted: then
    /// the batch is the cause, not Beeminder.
    private var suspicion = 0
    private var wasTakenAlone = false

    /// Whether the next request may carry several events.
    var isThere: Bool { singly == 0 }

    /// The next request carries one event.
    mutating func recordSingle() { singly = max(0, singly - 1) }

    /// A request has ended.
    ///
    /// - Parameters:
    ///   - sent: the number of its events.
    ///   - left: the number of those that wait again.
    ///   - isWhole: whether the whole request had the same outcome.
    mutating func record(sent: Int, left: Int, isWhole: Bool) {
        if sent <= 1 {
            wasTakenAlone = wasTakenAlone || left == 0
        } else if left == 0 {
            suspicion = 0
        } else if isWhole {
            // The next single event will show the cause.
            if wasTakenAlone { suspicion += 1 }
            wasTakenAlone = false
            singly = 1 << min(3 * suspicion, 12)
        } else {
            singly = left
        }
    }
}
