import BeemedDomain

/// A name for a press that is made often: "glass" is water, 0.25, "a glass".
struct Preset: Codable, Sendable, Equatable {
    var goal: String
    var value: Double?
    var comment: String?
    /// Seconds that must lie between two presses; what comes sooner is guarded.
    var minimumInterval: Int64?
    /// Whether only the first press of the goal's day counts.
    var oncePerDay: Bool?
    /// Presses within so many seconds become one datapoint.
    var mergeSeconds: Int64?

    /// What it asks of a press, under that name; nil when nothing, so that the press is as any.
    func rule(named name: PresetName) -> PressRule {
        PressRule(
            preset: name, minimumInterval: minimumInterval, oncePerDay: oncePerDay ?? false,
            mergeSeconds: mergeSeconds)
    }

    /// Why it cannot be used; nil when it can.
    var fault: String? {
        if GoalSlug(goal) == nil { return "'goal' must be a goal's name in its Beeminder URL" }
        if (value ?? 1).magnitude > Press.greatestValue || value?.isNaN == true {
            return "'value' must be a number from -1e15 to 1e15"
        }
        if (comment ?? "").utf8.count > Press.commentBytes {
            return "'comment' must have at most \(Press.commentBytes) bytes"
        }
        let seconds = 1...PressRule.longestSeconds
        for (name, given) in [("minimumInterval", minimumInterval), ("mergeSeconds", mergeSeconds)]
        {
            if let given, !seconds.contains(given) {
                return "'\(name)' must be from 1 to \(PressRule.longestSeconds) seconds"
            }
        }
        return nil
    }

    /// Its members, as they are shown.
    func write(_ name: String, to json: inout JSONWriter) {
        json.add("name", name)
        json.add("goal", goal)
        if let value { json.add("value", value) }
        if let comment { json.add("comment", comment) }
        if let minimumInterval { json.add("minimumInterval", minimumInterval) }
        if let oncePerDay { json.add("oncePerDay", oncePerDay) }
        if let mergeSeconds { json.add("mergeSeconds", mergeSeconds) }
    }
}

/// All presets, as they are kept in `presets.json`.
struct PresetBook: Codable, Sendable, Equatable {
    var presets: [String: Preset] = [:]

    /// Presets at most.
    static let most = 500

    /// The preset of that name, and what it asks of a press.
    func find(_ name: String) -> (preset: Preset, rule: PressRule)? {
        guard let preset = presets[name], let known = PresetName(name) else { return nil }
        return (preset, preset.rule(named: known))
    }
}
