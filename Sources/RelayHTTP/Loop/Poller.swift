/// The state of one descriptor, reported by a poller.
package struct Ready: Sendable {
    /// The token it was registered with.
    package var token: UInt64
    /// There is input, or the end of input.
    package var canRead: Bool
    /// There is room for output.
    package var canWrite: Bool
    /// The descriptor cannot be used further: reset, or closed in both directions.
    package var isBroken: Bool
}

/// The kinds of readiness that a poller reports.
package struct Interest: Equatable, Sendable {
    var read: Bool
    var write: Bool
}
