package import BeemedDomain

extension Press {
    /// Creates a press from the fields that a device sent.
    ///
    /// - Parameter path: the goal in the request's path.
    package init(
        _ fields: PressFields, path: String?, from device: Device, _ presets: PresetBook,
        names: (GoalSlug) -> [String] = { _ in [] }
    ) throws(Problem) {
        try fields.check(isStrict: device.strict ?? false)
        let (name, goal, preset, options) = try Press.target(
            fields, path: path, from: device, presets, names: names)
        let time = try Press.time(fields)
        var day = try Press.day(fields)
        // A moment that is given as both is one statement.
        if case .timestamp(let moment) = time, case .at(moment)? = day { day = nil }
        let usual = preset?.value ?? device.value
        self.init(
            device: device.name, generation: device.generation, id: try Press.id(fields[.id]),
            goal: goal, value: try Press.value(fields, of: name, orElse: usual),
            isValueImplied: fields[.value] == nil && usual == nil,
            comment: try Press.comment(fields, orElse: preset?.comment),
            time: time, age: try Press.age(fields), day: day,
            metadata: Press.metadata(fields), presetOptions: options)
    }

    /// The target of a press: the name as sent, which is a goal's or a preset's, and its
    /// goal.
    typealias Target = (name: GoalSlug, goal: GoalSlug, preset: Preset?, options: PresetOptions?)

    /// Finds the target, and checks that the device may log to it.
    static func target(
        _ fields: PressFields, path: String?, from device: Device, _ presets: PresetBook,
        names: (GoalSlug) -> [String]
    ) throws(Problem) -> Target {
        let given = (fields[.goal] ?? (path == nil ? fields.slug : nil)).flatMap {
            $0.isEmpty ? nil : $0
        }
        if let path, let given, path != given {
            throw Problem(
                .unusableGoal,
                "the path says '\(path.prefix(64))' and the body says '\(given.prefix(64))'; "
                    + "send one of them")
        }
        guard let text = path ?? given ?? device.defaultGoal else {
            throw Problem(
                .unusableGoal, "name a goal: POST /log/GOAL, or a field 'goal' in the body")
        }
        guard let name = GoalSlug(text) else { throw .noGoalName(text) }
        let found = presets.find(name.description)
        let goal = found.flatMap { GoalSlug($0.preset.goal) } ?? name
        guard device.mayLog(to: name, names) || device.mayLog(to: goal, names) else {
            throw .forbidden(
                "'\(device.name)' may not log to '\(goal)'; its goals are "
                    + (device.goals ?? []).joined(separator: ", "))
        }
        return (name, goal, found?.preset, found?.options)
    }

    /// The event id that was given; nil if there is none.
    static func id(_ text: String?) throws(Problem) -> EventID? {
        guard let text, !text.isEmpty else { return nil }
        guard let id = EventID(text) else {
            throw Problem(
                .unusableID, "send an id of 1 to 64 letters, digits and '.', '_', ':', '-'")
        }
        guard !unset.contains(text.lowercased()) else {
            throw Problem(
                .unusableID,
                "the id '\(text)' is what becomes of a variable that is not set, and would be that "
                    + "of every press; send another one with each, or none")
        }
        return id
    }

    /// Texts of Home Assistant, Python, JavaScript and the like for no value.
    private static let unset: Set = [
        "none", "null", "nil", "undefined", "unknown", "unavailable", "nan",
    ]

    private static func value(
        _ fields: PressFields, of goal: GoalSlug, orElse known: Double?
    ) throws(Problem) -> Double {
        if let text = fields[.value]?.trimmed { return try number(text) }
        guard let name = fields.unclear ?? fields.unreadAmount(of: goal) else { return known ?? 1 }
        let field = Redaction.text(name.cut(to: 24))
        throw unusable(
            "is the number in '\(field)' the value? no number is read there; send it as 'value', "
                + "or log 1 each time with POST /log/GOAL?value=1"
                + (name == "time" ? "; a time is sent as 'timestamp'" : ""))
    }

    /// The number of a value.
    private static func number(_ text: String) throws(Problem) -> Double {
        // A script's variable that is not set, a sensor that has no reading.
        guard !text.isEmpty else {
            throw unusable("the value is empty; send a number, or leave it out to log 1")
        }
        let shown = text.prefix(40)
        guard let value = DecimalText.amount(text) else {
            throw unusable(
                "'\(shown)' is not a number; "
                    + (text.contains(",")
                        ? "write a fraction with a dot, and a thousand as 1000"
                        : "send 1, +1 or 0.25"))
        }
        guard value.magnitude <= Press.greatestValue else {
            throw unusable("'\(shown)' is out of range; send from -1e15 to 1e15")
        }
        guard value != 0 || DecimalText.isZero(text) else {
            throw unusable("'\(shown)' is too near to 0 to be counted")
        }
        return value
    }

    private static func unusable(_ words: String) -> Problem { Problem(.unusableValue, words) }

    private static func comment(
        _ fields: PressFields, orElse known: String?
    ) throws(Problem) -> String {
        let comment = fields[.comment] ?? known ?? ""
        guard comment.utf8.count <= Press.commentBytes else {
            throw Problem(
                .unusableComment,
                "the comment is longer than \(Press.commentBytes) bytes; shorten it")
        }
        return comment
    }

    private static func time(_ fields: PressFields) throws(Problem) -> PressTime {
        if let text = fields.filled(.timestamp) { return .timestamp(try moment(text)) }
        return try age(fields).map { PressTime.age(seconds: $0) } ?? .now
    }

    private static func age(_ fields: PressFields) throws(Problem) -> Int64? {
        guard let text = fields.filled(.age) else { return nil }
        guard let seconds = DecimalText.whole(text) else {
            throw Problem(.unusableTime, "'age' must be the seconds since the press, as in 90")
        }
        return seconds
    }

    /// The moment of a timestamp. A local time without its difference from UTC is refused: which
    /// zone the device is in is not known here, and a guess may log on another day.
    private static func moment(_ text: String) throws(Problem) -> UnixTime {
        if let seconds = DecimalText.whole(text) { return UnixTime(seconds) }
        guard Daystamp(text) == nil || text.utf8.count > 10 else {
            throw Problem(.unusableTime, "'timestamp' has only a day; send it as 'daystamp'")
        }
        guard let written = WrittenDate(text), written.clock != nil else {
            throw Problem(
                .unusableTime,
                "'timestamp' must be Unix seconds, as in 1760000000, or a time such as "
                    + "2026-11-18T14:03:22+01:00")
        }
        guard let moment = written.moment else {
            throw Problem(
                .unusableTime,
                "'timestamp' is a local time; write the difference from UTC behind it, as in "
                    + "2026-11-18T14:03:22+01:00, or Z for UTC")
        }
        return moment
    }

    private static func day(_ fields: PressFields) throws(Problem) -> PressDay? {
        guard let text = fields.filled(.day) else { return nil }
        let isText = fields.form == .text || fields.isDayWritten
        guard let day = DayReader.day(text, isText: isText) else {
            throw Problem(
                .unusableTime,
                "'\(text.prefix(40))' is not a valid day; send one as in 20261118, 2026-11-18 or "
                    + "2026-11-18T14:03:22+01:00")
        }
        return day
    }

    /// Unknown fields, as many as fit, without those whose name suggests a secret.
    private static func metadata(_ fields: PressFields) -> [String: String] {
        if fields.metadata.isEmpty { return [:] }
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
}

extension PressFields {
    /// Checks that each field has one value and, in strict mode, that every name is known.
    func check(isStrict: Bool) throws(Problem) {
        if let fault { throw fault }
        if let nested {
            throw .malformed(
                "'\(nested.prefix(40))' must be a text or a number, not a list, an object or a file"
            )
        }
        if let contradiction { throw contradiction }
        guard isStrict || self.isStrict else { return }
        let names = ignored
        guard !names.isEmpty else { return }
        throw Problem(
            .unknownField,
            "'\(names.joined(separator: "', '"))' is not understood, and this press is to be "
                + "refused for that; leave it out, or leave out 'strict'")
    }

    /// Unknown names, as reported to the sender: at most ten of them and 120 bytes, since some
    /// devices cannot read a long answer.
    var ignored: [String] {
        guard !metadata.isEmpty || !emptyNames.isEmpty else { return [] }
        var room = 120
        var names: [String] = []
        for name in unknownNames.prefix(10) {
            let short = Redaction.text(String(name.prefix(24)))
            room -= short.utf8.count + 3
            guard room >= 0 else { break }
            names.append(short)
        }
        return names.isEmpty ? ["..."] : names
    }
}

extension PressFields.Field {
    /// The refusal of two different contents, under any of the field's names and anywhere in the
    /// request: to choose one of them could log a value that nobody meant.
    func contradiction(_ first: String, _ second: String) -> Problem {
        let said = self == .token ? "" : ": '\(first.prefix(40))' and '\(second.prefix(40))'"
        let detail = "\(names) is given twice and not the same\(said); send one of them"
        let code: ErrorCode =
            switch self {
            case .goal: .unusableGoal
            case .value: .unusableValue
            case .comment: .unusableComment
            case .id: .unusableID
            case .timestamp, .age, .day: .unusableTime
            default: .malformed
            }
        return Problem(code, detail)
    }
}
