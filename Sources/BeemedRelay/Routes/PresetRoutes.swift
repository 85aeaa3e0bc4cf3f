import BeemedDomain
import RelayHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Presets: names for frequent presses.
extension Relay {
    /// `GET /presets`: all presets, by name.
    var presetList: Response {
        let sorted = books.presets.presets.sorted { $0.key < $1.key }
        return .json(
            JSONWriter.object { json in
                json.addArray("presets") { list in
                    for (name, preset) in sorted { list.object { preset.write(name, to: &$0) } }
                }
            })
    }

    /// `GET /presets/{name}`.
    func preset(_ call: Call) throws(Problem) -> Response {
        let name = call.name
        guard let preset = books.presets.presets[name] else { throw Relay.noPreset(name) }
        return .json(JSONWriter.object { preset.write(name, to: &$0) })
    }

    /// `DELETE /presets/{name}`.
    func removePreset(_ call: Call) -> Response? {
        change(call) { () throws(Problem) in
            var book = self.books.presets
            guard book.entries.remove(call.name) else { throw Relay.noPreset(call.name) }
            return self.saving(book, answer: .json(JSONWriter.object { $0.add("ok", true) }))
        }
        return nil
    }

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
        change(call) { () throws(Problem) in
            var book = self.books.presets
            guard book.presets.count < PresetBook.most || book.presets[name] != nil else {
                throw Problem(
                    .unusablePreset,
                    "there are \(PresetBook.most) presets already; delete one first")
            }
            book.entries.set(preset, for: name)
            return self.saving(
                book, answer: .json(JSONWriter.object { preset.write(name, to: &$0) }))
        }
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

    private func saving(_ book: PresetBook, answer: Response) -> SettingsChange {
        SettingsChange(
            save: { $0.save(book, $1) }, subject: "the presets",
            apply: {
                self.books.presets = book
                return answer
            })
    }

    private static func noPreset(_ name: String) -> Problem {
        .notFound("there is no preset '\(name.prefix(64))'; GET /presets names them")
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
