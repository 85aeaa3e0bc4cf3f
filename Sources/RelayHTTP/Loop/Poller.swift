/// What a poller reports of one descriptor.
package struct Ready: Sendable {
    /// The number it was registered with.
    package var token: UInt64
    /// There is input, or its end.
    package var canRead: Bool
    /// There is room for output.
    package var canWrite: Bool
    /// The descriptor is of no further use: reset, or closed in both directions.
    package var isBroken: Bool
}

/// What a poller is asked to report.
package struct Interest: Equatable, Sendable {
    var read: Bool
    var write: Bool
}
