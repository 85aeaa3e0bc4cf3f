import BeemedDomain

/// A name for a frequent press: "glass" is water, 0.25, "a glass".
package struct Preset: Codable, Sendable, Equatable {
    /// The goal of its presses.
    package var goal: String
    var value: Double?
    var comment: String?
    /// Minimum seconds between two presses; a press that comes sooner is guarded.
    var minimumInterval: Int64?
    /// Whether only the first press of the goal's day counts.
    var oncePerDay: Bool?
    /// Presses within this number of seconds become one datapoint.
    var mergeSeconds: Int64?

    /// The reason why the preset is invalid; nil when valid.
    package var fault: String? {
        if GoalSlug(goal) == nil { return "'goal' must be a goal's name in its Beeminder URL" }
        if (value ?? 1).magnitude > Press.greatestValue || value?.isNaN == true {
            return "'value' must be a number from -1e15 to 1e15"
        }
        if (comment ?? "").utf8.count > Press.commentBytes {
            return "'comment' must have at most \(Press.commentBytes) bytes"
        }
        let seconds = 1...PresetOptions.longestSeconds
        for (name, given) in [("minimumInterval", minimumInterval), ("mergeSeconds", mergeSeconds)]
        {
            if let given, !seconds.contains(given) {
                return "'\(name)' must be from 1 to \(PresetOptions.longestSeconds) seconds"
            }
        }
        return nil
    }
}

/// All presets.
package typealias PresetBook = Book<Preset>

extension Preset: BookEntry {
    package static let word = "preset"
    package static let plural: StaticString = "presets"
    package static let file = DataFile.presets
    package static let maxEntries = 500

    package static func isName(_ name: String) -> Bool { PresetName(name) != nil }
}

extension Book<Preset> {
    /// The preset of that name, and its options for presses.
    func find(_ name: String) -> (preset: Preset, options: PresetOptions)? {
        guard let preset = self[name], let known = PresetName(name) else { return nil }
        let options = PresetOptions(
            preset: known, minimumInterval: preset.minimumInterval,
            oncePerDay: preset.oncePerDay ?? false, mergeSeconds: preset.mergeSeconds)
        return (preset, options)
    }
}
