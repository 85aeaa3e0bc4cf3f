/// The state of an event as a member of its carried line.
extension RecordedState {
    /// Adds the members; those that are absent have their first value.
    func write(to json: inout JSONWriter) {
        if let settlement { write(settlement, to: &json) }
        if isUnwanted { json.add("unwanted", true) }
        if last.value > 0 { json.add("last", last) }
        if delivered.value > 0 { json.add("delivered", delivered) }
        if let rare = rare?.values { rare.write(to: &json) }
    }

    private func write(_ settlement: Settlement, to json: inout JSONWriter) {
        switch settlement {
        case .delivered(let how, let datapoint):
            json.add("is", literal: "delivered")
            json.add("how", plain: how.rawValue)
            if let datapoint { json.add("datapoint", datapoint) }
        case .refused(let status, let why):
            json.add("is", literal: "refused")
            json.add("status", Int64(status))
            json.add("why", why)
        case .undone: json.add("is", literal: "undone")
        case .guarded: json.add("is", literal: "guarded")
        case .merged(let leader):
            json.add("is", literal: "merged")
            json.add("into", leader)
        }
    }

    /// Reads the members.
    init(_ json: inout JSONReader) throws(JSONReader.Fault) {
        var raw = RawState()
        try json.object { (name, value) throws(JSONReader.Fault) in
            try raw.parseMember(name, &value)
        }
        self.init(
            try raw.settlement(), isUnwanted: raw.isUnwanted, last: raw.last,
            delivered: raw.delivered, rare: raw.rare)
    }
}

extension RareChanges.Values {
    fileprivate func write(to json: inout JSONWriter) {
        if let goal { json.add("goal", plain: goal.description) }
        if let movedBy { json.add("moved", movedBy) }
        if !leaving.isEmpty {
            let goals = leaving.map { ($0.goal.description, $0.by.description) }
            json.add("leaving", Dictionary(goals) { $1 })
        }
        if let at { json.add("at", at.seconds) }
        if let value { json.add("value", value) }
        if let revisedBy { json.add("revised", revisedBy) }
        if mayLower { json.add("lower", true) }
        if let leftOut { json.add("left-out", leftOut) }
        if let shown { json.add("shown", shown) }
        if isOnItsOwn { json.add("alone", true) }
        if isEvaluated { json.add("judged", true) }
        if let guardedBy { json.add("by", guardedBy.recordedSeconds) }
    }
}

/// The members of a state, each of them optional.
private struct RawState {
    private var kind: String?
    private var how: String?
    private var datapoint: String?
    private var status: Int64?
    private var why = ""
    private var into: SequenceNumber?
    private(set) var isUnwanted = false
    private(set) var last = SequenceNumber(0)
    private(set) var delivered = SequenceNumber(0)
    private(set) var rare = RareChanges.Values()

    /// Parses a member. Members added by a later version are skipped.
    mutating func parseMember(_ name: String, _ json: inout JSONReader) throws(JSONReader.Fault) {
        switch name {
        case "is": kind = try json.string()
        case "how": how = try json.string()
        case "datapoint": datapoint = try json.string()
        case "status": status = try json.integer()
        case "why": why = try json.string()
        case "into": into = try RawState.number(&json)
        case "unwanted": isUnwanted = try json.flag()
        case "last": last = try RawState.number(&json)
        case "delivered": delivered = try RawState.number(&json)
        case "goal": rare.goal = try RawState.slug(&json)
        case "moved": rare.movedBy = try RawState.number(&json)
        case "leaving": rare.leaving = try RawState.departures(&json)
        case "at": rare.at = UnixTime(try json.integer())
        case "value": rare.value = try json.double()
        case "revised": rare.revisedBy = try RawState.number(&json)
        case "lower": rare.mayLower = try json.flag()
        case "left-out": rare.leftOut = try RawState.number(&json)
        case "shown": rare.shown = try RawState.number(&json)
        case "alone": rare.isOnItsOwn = try json.flag()
        case "judged": rare.isEvaluated = try json.flag()
        case "by": rare.guardedBy = PresetGuard(recorded: try json.integer())
        default: try json.skip()
        }
    }

    func settlement() throws(JSONReader.Fault) -> Settlement? {
        switch kind {
        case nil: return nil
        case "delivered":
            guard let how = how.flatMap(Delivered.init(rawValue:)) else { break }
            return .delivered(how, datapoint: datapoint)
        case "refused":
            guard let status, (0..<1 << 31).contains(status) else { break }
            return .refused(status: Int(status), why: why)
        case "undone": return .undone
        case "guarded": return .guarded
        case "merged":
            guard let into else { break }
            return .merged(into: into)
        default: break
        }
        throw JSONReader.Fault()
    }

    private static func number(
        _ json: inout JSONReader
    ) throws(JSONReader.Fault) -> SequenceNumber {
        let value = try json.integer()
        guard (1..<1 << 53).contains(value) else { throw JSONReader.Fault() }
        return SequenceNumber(UInt64(value))
    }

    private static func departures(
        _ json: inout JSONReader
    ) throws(JSONReader.Fault) -> [RecordedState.Departure] {
        var all: [RecordedState.Departure] = []
        for (name, record) in try json.texts() {
            guard let goal = GoalSlug(name), let by = UInt64(record), by < 1 << 53 else {
                throw JSONReader.Fault()
            }
            all.append(RecordedState.Departure(goal: goal, by: SequenceNumber(by)))
        }
        return all.sorted { $0.by < $1.by }
    }

    private static func slug(_ json: inout JSONReader) throws(JSONReader.Fault) -> GoalSlug {
        guard let slug = GoalSlug(try json.string()) else { throw JSONReader.Fault() }
        return slug
    }
}
