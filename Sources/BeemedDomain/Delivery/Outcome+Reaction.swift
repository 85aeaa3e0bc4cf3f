/// What follows from an outcome.
extension Outcome {
    /// Whether it settles the event. Every other outcome is tried again.
    var isFinal: Bool {
        switch self {
        case .delivered, .erased, .refused: true
        case .unclear, .unchangeable, .unreachable, .busy, .unauthorized, .forbidden, .noSuchGoal,
            .misdirected:
            false
        }
    }

    /// Whether it names a cause that is not the event: a limit, the token or the goal. A filter
    /// before Beeminder may answer so, too, but then the user request is answered well.
    var blamesOthers: Bool {
        switch self {
        case .busy, .unauthorized, .noSuchGoal: true
        case .delivered, .erased, .refused, .unclear, .unchangeable, .unreachable, .forbidden,
            .misdirected:
            false
        }
    }

    /// The wait that Beeminder requests, in seconds; nil for none, or without a time.
    var requestedWait: Double? {
        if case .busy(let seconds, _) = self { seconds } else { nil }
    }

    var isSilence: Bool {
        if case .unreachable = self { true } else { false }
    }

    var isUnchangeable: Bool {
        if case .unchangeable = self { true } else { false }
    }

    var isOfAddress: Bool {
        if case .misdirected = self { true } else { false }
    }

    var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}
