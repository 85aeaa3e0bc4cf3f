import BeemedDomain
import Foundation
import RelayHTTP

/// Presets: names for frequent presses.
extension Relay {
    /// `GET /presets`: all presets, by name.
    func presets(_ request: Request, _ context: RequestContext) throws(Problem) -> Response {
        _ = try access.authenticate(request, bodyToken: nil, devices, .read, context)
        current.isReadOnly = true
        let sorted = presetBook.presets.sorted { $0.key < $1.key }
        return .json(
            JSONWriter.object { json in
                json.addArray("presets") { list in
                    for (name, preset) in sorted { list.object { preset.write(name, to: &$0) } }
                }
            })
    }

    /// `GET`, `PUT` and `DELETE /presets/{name}`.
    func preset(_ name: String, _ request: Request, _ context: RequestContext) throws(Problem)
        -> Response
    {
        let isChange = request.method == .put || request.method == .delete
        _ = try access.authenticate(
            request, bodyToken: nil, devices, isChange ? .manage : .read, context)
        switch request.method {
        case .put: try set(name, request)
        case .delete:
            guard presetBook.presets[name] != nil else { throw Relay.noPreset(name) }
            try change { $0.presets[name] = nil }
            return .json(JSONWriter.object { $0.add("ok", true) })
        default: current.isReadOnly = true
        }
        guard let preset = presetBook.presets[name] else { throw Relay.noPreset(name) }
        return .json(JSONWriter.object { preset.write(name, to: &$0) })
    }

    private func set(_ name: String, _ request: Request) throws(Problem) {
        guard let slug = PresetName(name) else {
            throw Problem(
                .unusablePreset, "name a preset with 1 to 32 letters, digits, '-' and '_'")
        }
        guard core.goals[GoalSlug(slug)] == nil else {
            throw Problem(
                .unusablePreset, "'\(name)' is one of your goals; name the preset otherwise")
        }
        guard let preset = try? JSONDecoder().decode(Preset.self, from: Data(request.body)) else {
            throw .malformed(
                "send {\"goal\": \"water\", \"value\": 0.25, \"comment\": \"a glass\"}, and if you "
                    + "like \"minimumInterval\", \"oncePerDay\", \"mergeSeconds\"")
        }
        if let fault = preset.fault { throw Problem(.unusablePreset, fault) }
        guard presetBook.presets.count < PresetBook.most || presetBook.presets[name] != nil else {
            throw Problem(
                .unusablePreset, "there are \(PresetBook.most) presets already; delete one first")
        }
        if core.goals.isKnown, let goal = GoalSlug(preset.goal),
            core.goals[core.goals.current(goal)] == nil
        {
            throw .unknownGoal(
                "goal '\(goal)' is not yours; GET /goals names them",
                suggestion: core.goals.suggestion(for: goal))
        }
        try change { $0.presets[name] = preset }
    }

    /// Changes the presets on the disk, then in memory.
    private func change(_ change: (inout PresetBook) -> Void) throws(Problem) {
        var book = presetBook
        change(&book)
        guard store.save(book, log) else {
            throw Problem(
                .notSaved, "the presets could not be saved; make room on the disk and repeat this")
        }
        presetBook = book
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
