/// Whose time the relay's clock was compared with.
package enum ClockSource: String, Sendable {
    /// The `Date` of Beeminder's answers.
    case beeminder
    /// Timestamps of several devices that agree.
    case devices
}

/// What is known of the relay's own clock.
package enum ClockState: Sendable, Equatable {
    /// It is right, as far as anybody knows.
    case right
    /// It cannot be right: presses wait until it is set.
    case unset
    /// It is so many seconds behind that source's time; less than zero when it is ahead. That
    /// source's time is used meanwhile.
    case wrong(by: Int64, ClockSource)
    /// It is so many seconds behind the last press of the journal, and nobody could tell the time.
    case doubtful(behind: Int64)
}
