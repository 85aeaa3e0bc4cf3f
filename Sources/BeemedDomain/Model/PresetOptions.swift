/// A preset's options for the presses that use it. An object, since most presses have none: to copy
/// the room for its fields with each press costs more.
package final class PresetOptions: Equatable, Sendable {
    package let preset: PresetName
    /// The minimum seconds between two presses; an earlier press counts as accidental and is
    /// guarded. Nil for no such guard.
    package let minimumInterval: Int64?
    /// Whether only the first press of the goal's day counts.
    package let oncePerDay: Bool
    /// Presses within this many seconds become one datapoint, so that a tally counter stays below
    /// Beeminder's daily cap. Nil for one datapoint per press.
    package let mergeSeconds: Int64?

    /// The longest interval and window, in seconds: presses are compared as long as they are known.
    package static let longestSeconds: Int64 = 7 * 86_400

    /// Creates the options; the caller has checked that the seconds are from 1 to `longestSeconds`.
    package init(
        preset: PresetName, minimumInterval: Int64? = nil, oncePerDay: Bool = false,
        mergeSeconds: Int64? = nil
    ) {
        self.preset = preset
        self.minimumInterval = minimumInterval
        self.oncePerDay = oncePerDay
        self.mergeSeconds = mergeSeconds
    }

    package static func == (left: PresetOptions, right: PresetOptions) -> Bool {
        left.preset == right.preset && left.minimumInterval == right.minimumInterval
            && left.oncePerDay == right.oncePerDay && left.mergeSeconds == right.mergeSeconds
    }
}

/// The guard of a preset that kept a press from being sent.
package enum PresetGuard: Hashable, Sendable {
    /// `minimumInterval`: another press came within so many seconds.
    case minimumInterval(Int64)
    /// `oncePerDay`: the goal's day has a datapoint already.
    case oncePerDay
}
