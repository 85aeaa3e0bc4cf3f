import BeemedDomain

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Warns of a device's goals that the account does not have. They are not refused, since a goal may
/// be made later. But a mistyped name would show only when the device's presses are refused.
struct GoalWarning {
    private let goals: GoalBook
    private let store: RelayStore
    private let running: RunningRelay?

    /// - Parameter running: the relay that runs on the store's folder, if one does.
    init(_ store: RelayStore, _ running: RunningRelay?) {
        goals = store.goals()
        self.store = store
        self.running = running
    }

    /// Prints a warning for each name that is neither a goal nor a preset; nothing while Beeminder
    /// has not told the goals.
    ///
    /// - Parameter names: what the device may log to.
    func print(about names: [String], of device: String) {
        let unknown = names.compactMap(GoalSlug.init).filter { goal in
            goals.isKnown && goals[goals.current(goal)] == nil
        }
        guard !unknown.isEmpty else { return }
        let presets = presets
        var seen: Set<GoalSlug> = []
        for goal in unknown where !presets.contains("\(goal)") && seen.insert(goal).inserted {
            let hint = goals.suggestion(for: goal).map { "; did you mean '\($0)'?" } ?? ""
            Console.notice("'\(device)' may log to '\(goal)', which is none of your goals\(hint)")
        }
        guard !seen.isEmpty else { return }
        Console.notice(
            "make that goal at Beeminder, or remove the device and add it again: "
                + "beemed-relay device remove \(device)")
    }

    /// The names of presets, which stand for goals. The relays of a cluster have them elsewhere, so
    /// a running one is asked.
    private var presets: Set<String> {
        guard let running else { return Set(store.saved(Preset.self).sorted.map(\.name)) }
        let answer = try? running.call("GET", "/presets").decoded(PresetCommand.Presets.self)
        return Set(answer?.presets.map(\.name) ?? [])
    }
}
