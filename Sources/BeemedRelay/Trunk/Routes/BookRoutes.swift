package import BeemedDomain
package import RelayHTTP

/// An entry of a book as clients see it.
package protocol ShownEntry: BookEntry {
    /// The code of a refusal.
    static var code: ErrorCode { get }
    /// The goal that it is for.
    var goal: String { get }

    func write(_ name: String, _ core: RelayCore, to json: inout JSONWriter)
}

/// Books of named entries: all are listed, shown and removed in one way, and set once each kind has
/// checked its own.
extension Relay {
    /// `GET` of a book, as `/presets`: all entries, by name.
    package func list<Entry: ShownEntry>(_ live: LiveBook<Entry>) -> Response {
        .json { json in
            json.addArray(Entry.plural, of: live.book.sorted) { named, json in
                named.entry.write(named.name, engine.core, to: &json)
            }
        }
    }

    /// `GET` of an entry, as `/presets/{name}`.
    package func show<Entry: ShownEntry>(_ live: LiveBook<Entry>, _ call: Call) throws(Problem)
        -> Response
    {
        guard let entry = live.book[call.name] else { throw Relay.unknown(Entry.self, call.name) }
        return .json { entry.write(call.name, engine.core, to: &$0) }
    }

    /// Sets an entry, if it can be used. The answer follows when that is durable.
    package func set<Entry: ShownEntry>(
        _ entry: Entry, in live: LiveBook<Entry>, _ call: Call
    ) throws(Problem) -> Response? {
        guard Entry.isName(call.name) else { throw Problem(Entry.code, Entry.nameFault) }
        if let fault = entry.fault { throw Problem(Entry.code, fault) }
        if let goal = GoalSlug(entry.goal) { try checkGoal(goal) }
        return try change(live, call) { (book) throws(Problem) in
            guard book.entries.count < Entry.most || book[call.name] != nil else {
                throw Problem(
                    Entry.code,
                    "there are \(Entry.most) \(Entry.plural) already; delete one first")
            }
            book[call.name] = entry
            return .json { entry.write(call.name, engine.core, to: &$0) }
        }
    }

    /// `DELETE` of an entry, as `/presets/{name}`. `end` and the answer wait until it is durable.
    package func remove<Entry: ShownEntry>(
        from live: LiveBook<Entry>, _ call: Call, onceSaved end: @escaping () -> Void = {}
    ) throws(Problem) -> Response? {
        try change(live, call, onceSaved: end) { (book) throws(Problem) in
            guard book.contains(call.name) else { throw Relay.unknown(Entry.self, call.name) }
            book[call.name] = nil
            return .ok()
        }
    }

    /// Changes an entry without a request for that; it is saved soon.
    package func amend<Entry: ShownEntry>(
        _ name: String, in live: LiveBook<Entry>, _ edit: (inout Entry) -> Void
    ) {
        guard var entry = live.book[name] else { return }
        edit(&entry)
        live.book[name] = entry
        files.save(Entry.file) { [book = live.book] in $0.save(book, as: Entry.file, $1) }
    }

    private func change<Entry: ShownEntry>(
        _ live: LiveBook<Entry>, _ call: Call, onceSaved end: @escaping () -> Void = {},
        _ edit: (inout Book<Entry>) throws(Problem) -> Response
    ) throws(Problem) -> Response? {
        try change(
            call, Entry.file, "the \(Entry.plural)", from: { live.book }, edit,
            apply: { live.book = $0 }, onceSaved: end)
    }

    private static func unknown<Entry: BookEntry>(_ kind: Entry.Type, _ name: String) -> Problem {
        .notFound(
            "there is no \(kind.word) '\(name.prefix(64))'; GET /\(kind.plural) names them")
    }
}

extension Relay {
    /// `PUT /presets/{name}`.
    func setPreset(_ call: Call) throws(Problem) -> Response? {
        let name = call.name
        guard GoalSlug(name).flatMap({ engine.core.goals[$0] }) == nil else {
            throw Problem(
                .unusablePreset, "'\(name)' is one of your goals; name the preset otherwise")
        }
        let preset = try call.request.content(
            Preset.self, besides: ["name"],
            orSay: "send {\"goal\": \"water\", \"value\": 0.25, \"comment\": \"a glass\"}, and if "
                + "you like \"minimumInterval\", \"oncePerDay\", \"mergeSeconds\"")
        if let goal = GoalSlug(preset.goal) { try checkMerging(preset, goal) }
        return try set(preset, in: presets, call)
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
        json.add("name", name)
        json.add("goal", goal)
        if let value { json.add("value", value) }
        if let comment { json.add("comment", comment) }
        if let minimumInterval { json.add("minimumInterval", minimumInterval) }
        if let oncePerDay { json.add("oncePerDay", oncePerDay) }
        if let mergeSeconds { json.add("mergeSeconds", mergeSeconds) }
    }
}
