import BeemedDomain

extension Press {
    /// Makes a press of what a device sent.
    ///
    /// - Parameters:
    ///   - path: the goal in the request's path.
    ///   - device: who sent it.
    ///   - presets: what may stand in a goal's place.
    /// - Throws: `Problem`, which says what to send instead.
    init(
        _ fields: PressFields, path: String?, from device: Device, _ presets: PresetBook
    ) throws(Problem) {
        guard let name = DeviceName(device.name) else {
            throw .forbidden("the device's name cannot be used; add it again under another one")
        }
        if let nested = fields.nested {
            throw .malformed("'\(nested)' must be a text or a number, not a list or an object")
        }
        let named = try Press.goal(fields, path: path, from: device)
        let preset = presets.presets.isEmpty ? nil : presets.find(named.description)
        let goal = preset.flatMap { GoalSlug($0.preset.goal) } ?? named
        guard device.mayLog(to: goal) || device.mayLog(to: named) else {
            throw .forbidden(
                "'\(device.name)' may not log to '\(goal)'; its goals are "
                    + "\((device.goals ?? []).joined(separator: ", "))")
        }
        self.init(
            device: name, generation: device.generation, id: try Press.id(fields), goal: goal,
            value: try Press.value(fields, orElse: preset?.preset.value ?? device.value),
            comment: try Press.comment(fields, orElse: preset?.preset.comment),
            time: try Press.time(fields),
            metadata: Press.metadata(fields), rule: preset?.rule)
    }

    private static func goal(
        _ fields: PressFields, path: String?, from device: Device
    ) throws(Problem) -> GoalSlug {
        let given = fields.goal.flatMap { $0.isEmpty ? nil : $0 }
        if let path, let given, path != given {
            throw .unusable(
                .goal,
                "the path says '\(path.prefix(64))' and the body says '\(given.prefix(64))'; "
                    + "send one of them")
        }
        guard let text = path ?? given ?? device.defaultGoal else {
            throw .unusable(.goal, "name a goal: POST /log/GOAL, or a field 'goal' in the body")
        }
        guard let goal = GoalSlug(text) else {
            throw .unknownGoal(
                "'\(text.prefix(64))' is no goal; use the name from its Beeminder URL")
        }
        return goal
    }

    private static func id(_ fields: PressFields) throws(Problem) -> EventID? {
        guard let text = fields.id, !text.isEmpty else { return nil }
        guard let id = EventID(text) else {
            throw .unusable(.id, "send an id of 1 to 64 letters, digits and '.', '_', ':', '-'")
        }
        return id
    }

    private static func value(
        _ fields: PressFields, orElse known: Double?
    ) throws(Problem) -> Double {
        guard let text = fields.value?.trimmed, !text.isEmpty else { return known ?? 1 }
        guard let value = number(text) else {
            let hint = text.contains(",") ? "write the fraction with a dot" : "send 1, +1 or 0.25"
            throw .unusable(.value, "'\(text.prefix(40))' is not a number; \(hint)")
        }
        return value
    }

    private static func comment(
        _ fields: PressFields, orElse known: String?
    ) throws(Problem) -> String {
        let comment = fields.comment ?? known ?? ""
        guard comment.utf8.count <= Press.commentBytes else {
            throw .unusable(
                .comment, "the comment is longer than \(Press.commentBytes) bytes; shorten it")
        }
        return comment
    }

    private static func time(_ fields: PressFields) throws(Problem) -> PressTime {
        if let text = fields.timestamp?.trimmed, !text.isEmpty {
            guard let seconds = number(text), abs(seconds) < 1e18 else {
                throw .unusable(.time, "'timestamp' must be Unix seconds, as in 1760000000")
            }
            return .timestamp(UnixTime(Int64(seconds)))
        }
        if let text = fields.age?.trimmed, !text.isEmpty {
            guard let seconds = number(text), abs(seconds) < 1e18 else {
                throw .unusable(.time, "'age' must be the seconds since the press, as in 90")
            }
            return .age(seconds: Int64(seconds))
        }
        return .now
    }

    /// As much as there is room for; what does not fit was of no use anyway. What by its name is a
    /// secret is not kept.
    private static func metadata(_ fields: PressFields) -> [String: String] {
        var kept: [String: String] = [:]
        var room = Press.metadataBytes
        for (name, value) in fields.metadata.sorted(by: { $0.key < $1.key })
        where !Redaction.isSecret(name) {
            room -= name.utf8.count + value.utf8.count
            guard room >= 0 else { break }
            kept[name] = value
        }
        return kept
    }

    /// A decimal number and nothing else: `Double("0x10")`, `Double("nan")` are numbers too.
    private static func number(_ text: String) -> Double? {
        let digits = text.utf8.span
        for index in digits.indices {
            switch digits[index] {
            case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: continue
            default: return nil
            }
        }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }
}

extension String {
    fileprivate var trimmed: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = utf8.first, let last = utf8.last else { return self }
        guard isBlank(first) || isBlank(last) else { return self }
        var rest = utf8.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return String(Substring(rest))
    }
}
