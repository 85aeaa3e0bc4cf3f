package import BeemedDomain
package import RelayHTTP

/// An entry of a book as clients see it.
package protocol ShownEntry: BookEntry {
    /// The code of a refusal.
    static var code: ErrorCode { get }

    func write(_ name: String, _ core: RelayCore, to json: inout JSONWriter)
}

/// Books of named entries: all are listed, shown and removed in one way, and set once each kind has
/// checked its own.
extension Relay {
    /// `GET` of a book, as `/presets`: all entries, by name.
    package func list<Entry: ShownEntry>(_ live: LiveBook<Entry>) -> Response {
        .json(
            JSONWriter.object { json in
                json.addArray(Entry.plural) { list in
                    for (name, entry) in live.book.sorted {
                        list.object { entry.write(name, engine.core, to: &$0) }
                    }
                }
            })
    }

    /// `GET` of an entry, as `/presets/{name}`.
    package func show<Entry: ShownEntry>(_ live: LiveBook<Entry>, _ call: Call) throws(Problem)
        -> Response
    {
        guard let entry = live.book[call.name] else { throw Relay.unknown(Entry.self, call.name) }
        return .json(JSONWriter.object { entry.write(call.name, engine.core, to: &$0) })
    }

    /// Sets an entry that can be used. The answer follows when that is durable.
    package func set<Entry: ShownEntry>(
        _ entry: Entry, in live: LiveBook<Entry>, _ call: Call
    ) {
        change(live, call) { (book) throws(Problem) in
            guard book.entries.used.count < Entry.most || book[call.name] != nil else {
                throw Problem(
                    Entry.code,
                    "there are \(Entry.most) \(Entry.plural) already; delete one first")
            }
            book[call.name] = entry
            return JSONWriter.object { entry.write(call.name, self.engine.core, to: &$0) }
        }
    }

    /// `DELETE` of an entry, as `/presets/{name}`. The answer follows when that is durable.
    ///
    /// - Parameter apply: called then.
    package func remove<Entry: ShownEntry>(
        from live: LiveBook<Entry>, _ call: Call,
        apply: @escaping () -> Void = {}
    ) {
        change(live, call, apply: apply) { (book) throws(Problem) in
            guard book.contains(call.name) else { throw Relay.unknown(Entry.self, call.name) }
            book[call.name] = nil
            return JSONWriter.object { $0.add("ok", true) }
        }
    }

    private func change<Entry: ShownEntry>(
        _ live: LiveBook<Entry>, _ call: Call,
        apply: @escaping () -> Void = {},
        _ change: @escaping (inout Book<Entry>) throws(Problem) -> [UInt8]
    ) {
        self.change(call) { () throws(Problem) in
            var book = live.book
            let answer = try change(&book)
            let changed = book
            return SettingsChange(
                save: { $0.save(changed, as: Entry.file, $1) }, subject: "the \(Entry.plural)",
                apply: {
                    live.present = changed
                    apply()
                    return .json(answer)
                })
        }
    }

    private static func unknown<Entry: BookEntry>(_ kind: Entry.Type, _ name: String) -> Problem {
        .notFound(
            "there is no \(kind.word) '\(name.prefix(64))'; GET /\(kind.plural) names them")
    }
}
