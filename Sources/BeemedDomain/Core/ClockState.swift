/// The source of the time with which the relay's clock was compared.
package enum ClockSource: String, Sendable {
    /// The `Date` of Beeminder's answers.
    case beeminder
    /// Timestamps of several devices that agree.
    case devices
}

/// The state of the relay's own clock.
package enum ClockState: Sendable, Equatable {
    /// It is right, as far as known.
    case right
    /// It cannot be right: presses wait until it is set.
    case unset
    /// It is this many seconds behind the source's time; negative when ahead. The source's time is
    /// used meanwhile.
    case wrong(by: Int64, ClockSource)
    /// It is this many seconds behind the last press of the journal, and no source gives the time.
    case doubtful(behind: Int64)
}
