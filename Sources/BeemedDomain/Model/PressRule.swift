/// What a preset asks of the presses that use it.
package struct PressRule: Hashable, Sendable {
    package let preset: PresetName
    /// Seconds that must lie between two presses; a press that comes sooner counts as a slip of the
    /// finger and is guarded. Nil for no such guard.
    package let minimumInterval: Int64?
    /// Whether only the first press of the goal's day counts.
    package let oncePerDay: Bool
    /// Presses within so many seconds become one datapoint, so that a tally clicker stays below
    /// Beeminder's daily cap. Nil for one datapoint a press.
    package let mergeSeconds: Int64?

    /// The longest interval and window, in seconds: presses are compared as long as they are known.
    package static let longestSeconds: Int64 = 7 * 86_400

    /// A rule; the caller has checked that the seconds are from 1 to `longestSeconds`.
    package init(
        preset: PresetName, minimumInterval: Int64? = nil, oncePerDay: Bool = false,
        mergeSeconds: Int64? = nil
    ) {
        self.preset = preset
        self.minimumInterval = minimumInterval
        self.oncePerDay = oncePerDay
        self.mergeSeconds = mergeSeconds
    }
}
