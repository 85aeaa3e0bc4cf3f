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

    /// Whether the event itself may be the cause, such as a comment that a filter before Beeminder
    /// does not let pass.
    var mayBeOfEvent: Bool {
        switch self {
        case .unclear, .unchangeable, .unreachable, .forbidden, .misdirected: true
        case .delivered, .erased, .busy, .refused, .unauthorized, .noSuchGoal: false
        }
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
