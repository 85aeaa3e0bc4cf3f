package import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Presets: names for frequent presses.
extension Relay {
    /// `PUT /presets/{name}`.
    func setPreset(_ call: Call) throws(Problem) -> Response? {
        let name = call.name
        guard let slug = PresetName(name) else {
            throw Problem(.unusablePreset, Preset.nameFault)
        }
        guard engine.core.goals[GoalSlug(slug)] == nil else {
            throw Problem(
                .unusablePreset, "'\(name)' is one of your goals; name the preset otherwise")
        }
        guard let preset = try? JSONDecoder().decode(Preset.self, from: Data(call.request.body))
        else {
            throw .malformed(
                "send {\"goal\": \"water\", \"value\": 0.25, \"comment\": \"a glass\"}, and if you "
                    + "like \"minimumInterval\", \"oncePerDay\", \"mergeSeconds\"")
        }
        if let fault = preset.fault { throw Problem(.unusablePreset, fault) }
        if let goal = GoalSlug(preset.goal) {
            try checkGoal(goal)
            try checkMerging(preset, goal)
        }
        set(preset, in: presets, call)
        return nil
    }

    /// Presses become one datapoint only where the goal adds them up.
    private func checkMerging(_ preset: Preset, _ goal: GoalSlug) throws(Problem) {
        let goals = engine.core.goals
        guard preset.mergeSeconds != nil, let known = goals[goals.current(goal)], !known.addsUp
        else { return }
        throw Problem(
            .unusablePreset,
            "'\(goal)' does not add up the datapoints of a day (its aggday is "
                + "'\(known.terms.aggday ?? "")'), so presses cannot become one; leave out "
                + "'mergeSeconds'")
    }
}

extension Preset: ShownEntry {
    package static let code = ErrorCode.unusablePreset

    package func write(_ name: String, _ core: RelayCore, to json: inout JSONWriter) {
        write(name, to: &json)
    }
}

extension GoalSlug {
    /// The goal whose name equals the preset's.
    fileprivate init(_ preset: PresetName) {
        guard let slug = GoalSlug(preset.description) else {
            preconditionFailure("what can name a preset can name a goal")
        }
        self = slug
    }
}
