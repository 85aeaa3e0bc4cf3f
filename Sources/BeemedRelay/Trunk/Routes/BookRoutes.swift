package import BeemedDomain
package import RelayHTTP

/// An entry of a book as clients see it.
package protocol ShownEntry: BookEntry {
    static var code: ErrorCode { get }
    var goal: String { get }

    static func book(of relay: isolated Relay) -> LiveBook<Self>
    /// Called when the removal of an entry was saved, before the answer.
    static func afterRemoval(of name: String, in relay: isolated Relay)

    func write(_ name: String, _ core: RelayCore, to json: inout JSONWriter)
}

extension ShownEntry {
    /// Nothing else goes with an entry.
    package static func afterRemoval(of name: String, in relay: isolated Relay) {}
}

/// The routes of a book of named entries, which each kind sets in its own way.
package enum BookRoutes<Entry: ShownEntry> {
    /// `GET` of a book, as `/presets`: all entries, by name.
    package static func list(_ relay: isolated Relay, _ call: Call) -> Response? {
        .json { json in
            json.addArray(Entry.plural, of: Entry.book(of: relay).book.sorted) { named, json in
                named.entry.write(named.name, relay.engine.core, to: &json)
            }
        }
    }

    /// `GET` of an entry, as `/presets/{name}`.
    package static func show(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        guard let entry = Entry.book(of: relay).book[call.name] else {
            throw unknown(call.name)
        }
        return .json { entry.write(call.name, relay.engine.core, to: &$0) }
    }

    /// Sets an entry, if it can be used. The answer follows when that is durable.
    package static func set(
        _ entry: Entry, _ relay: isolated Relay, _ call: Call
    ) throws(Problem) -> Response? {
        let core = relay.engine.core
        guard Entry.isName(call.name) else { throw Problem(Entry.code, Entry.nameFault) }
        if let fault = entry.fault { throw Problem(Entry.code, fault) }
        if let goal = GoalSlug(entry.goal) { try core.view.goals.check(goal) }
        return try change(relay, call) { (book) throws(Problem) in
            guard book.entries.count < Entry.maxEntries || book[call.name] != nil else {
                throw Problem(
                    Entry.code,
                    "there are \(Entry.maxEntries) \(Entry.plural) already; delete one first")
            }
            book[call.name] = entry
            return .json { entry.write(call.name, core, to: &$0) }
        }
    }

    /// `DELETE` of an entry, as `/presets/{name}`.
    package static func remove(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        try change(relay, call, onceSaved: { Entry.afterRemoval(of: call.name, in: relay) }) {
            (book) throws(Problem) in
            guard book[call.name] != nil else { throw unknown(call.name) }
            book[call.name] = nil
            return .ok()
        }
    }

    private static func change(
        _ relay: isolated Relay, _ call: Call, onceSaved end: @escaping () -> Void = {},
        _ edit: (inout Book<Entry>) throws(Problem) -> Response
    ) throws(Problem) -> Response? {
        let live = Entry.book(of: relay)
        return try relay.change(
            call, Entry.file, "the \(Entry.plural)", from: { live.book }, edit,
            apply: { live.book = $0 }, onceSaved: end)
    }

    private static func unknown(_ name: String) -> Problem {
        .notFound(
            "there is no \(Entry.word) '\(name.prefix(64))'; GET /\(Entry.plural) names them")
    }
}

enum PresetRoutes {
    static func set(_ relay: isolated Relay, _ call: Call) throws(Problem) -> Response? {
        let (name, goals) = (call.name, relay.engine.core.view.goals)
        guard GoalSlug(name).flatMap({ goals[$0] }) == nil else {
            throw Problem(
                .unusablePreset, "'\(name)' is one of your goals; name the preset otherwise")
        }
        let preset = try call.request.content(
            Preset.self, besides: ["name"],
            orSay: "send {\"goal\": \"water\", \"value\": 0.25, \"comment\": \"a glass\"}, and if "
                + "you like \"minimumInterval\", \"oncePerDay\", \"mergeSeconds\"")
        // Presses become one datapoint only where the goal adds them up.
        if preset.mergeSeconds != nil, let goal = GoalSlug(preset.goal),
            let known = goals[goals.current(goal)], !known.addsUp
        {
            throw Problem(
                .unusablePreset,
                "'\(goal)' does not add up the datapoints of a day (its aggday is "
                    + "'\(known.terms.aggday ?? "")'), so presses cannot become one; leave out "
                    + "'mergeSeconds'")
        }
        return try BookRoutes.set(preset, relay, call)
    }
}

extension Preset: ShownEntry {
    package static let code = ErrorCode.unusablePreset

    package static func book(of relay: isolated Relay) -> LiveBook<Preset> { relay.presets }

    package func write(_ name: String, _ core: RelayCore, to json: inout JSONWriter) {
        json.add("name", name)
        json.add("goal", goal)
        if let value { json.add("value", value) }
        if let comment { json.add("comment", comment) }
        if let minimumInterval { json.add("minimumInterval", minimumInterval) }
        if let oncePerDay { json.add("oncePerDay", oncePerDay) }
        if let mergeSeconds { json.add("mergeSeconds", mergeSeconds) }
    }
}
