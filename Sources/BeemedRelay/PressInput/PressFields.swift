/// The fields that a device sent, before validation.
///
/// Every form of body, and the query, are read through `set`: a name has the same meaning and the
/// same checks in all of them.
struct PressFields: Sendable, Equatable {
    /// The detected form of the body, reported in the answer so that the user sees how it was read.
    enum Form: String, Sendable {
        case empty, json, form, multipart, text
    }

    /// The known fields.
    enum Field: Sendable, CaseIterable {
        case goal, value, comment, id, timestamp, age, day, token
    }

    /// One field with two different contents, under any of its names.
    struct Contradiction: Sendable, Equatable {
        var field: Field
        var first: String
        var second: String
    }

    var form = Form.empty
    var goal: String?
    var value: String?
    var comment: String?
    var id: String?
    var timestamp: String?
    var age: String?
    var day: String?
    var token: String?
    /// The name of a known field that was given as a list or an object.
    var nested: String?
    /// The first field that was given twice, with different contents.
    var contradiction: Contradiction?
    /// Unknown names; the first content of each.
    var metadata: [String: String] = [:]
    /// Unknown names without content that could be stored.
    var emptyNames: Set<String> = []
    /// Whether this is a dry run.
    var isDryRun = false
    /// Whether an unknown name causes a refusal.
    var isStrict = false

    /// Unknown names that are recorded, at most.
    static let mostUnknown = 256

    /// The unknown names, sorted.
    var unknownNames: [String] { (Array(metadata.keys) + emptyNames).sorted() }

    subscript(field: Field) -> String? {
        get {
            switch field {
            case .goal: goal
            case .value: value
            case .comment: comment
            case .id: id
            case .timestamp: timestamp
            case .age: age
            case .day: day
            case .token: token
            }
        }
        set {
            switch field {
            case .goal: goal = newValue
            case .value: value = newValue
            case .comment: comment = newValue
            case .id: id = newValue
            case .timestamp: timestamp = newValue
            case .age: age = newValue
            case .day: day = newValue
            case .token: token = newValue
            }
        }
    }

    // MARK: Setting

    /// Sets a field by any of its names, in upper or lower case.
    mutating func set(_ name: String, _ text: String) {
        switch PressFields.meaning(name) {
        case .field(let field): set(field, text)
        case .dryRun: isDryRun = isDryRun || PressFields.isYes(text)
        case .strict: isStrict = isStrict || PressFields.isYes(text)
        case nil:
            guard hasRoom, metadata[name] == nil else { return }
            metadata[name] = text
        }
    }

    /// Sets a field. Empty content counts as absent; repeated equal content is no contradiction.
    mutating func set(_ field: Field, _ text: String) {
        guard let known = self[field], !known.isBlank else {
            self[field] = text
            return
        }
        guard !text.isBlank, !field.means(known, text) else { return }
        contradiction = contradiction ?? Contradiction(field: field, first: known, second: text)
    }

    /// Records a list or an object. An unknown name stays unknown.
    mutating func setNested(_ name: String) {
        switch PressFields.meaning(name) {
        case .field: nested = nested ?? name
        case .dryRun: isDryRun = true
        case .strict: isStrict = true
        case nil: note(name)
        }
    }

    /// Records a null, which counts as absent for every field.
    mutating func setNull(_ name: String) {
        if PressFields.meaning(name) == nil { note(name) }
    }

    private mutating func note(_ name: String) {
        if hasRoom { emptyNames.insert(name) }
    }

    private var hasRoom: Bool { metadata.count + emptyNames.count < PressFields.mostUnknown }

    /// Fills absent fields from the other. Contents present in both must agree.
    func filled(from other: PressFields) -> PressFields {
        var all = self
        for field in Field.allCases {
            if let text = other[field] { all.set(field, text) }
        }
        all.nested = nested ?? other.nested
        all.contradiction = all.contradiction ?? other.contradiction
        all.metadata.merge(other.metadata) { own, _ in own }
        all.emptyNames.formUnion(other.emptyNames)
        all.isDryRun = isDryRun || other.isDryRun
        all.isStrict = isStrict || other.isStrict
        return all
    }

    // MARK: Names

    private enum Meaning {
        case field(Field)
        case dryRun, strict
    }

    /// The meaning of a name; nil when it is unknown.
    private static func meaning(_ name: String) -> Meaning? {
        if let meaning = meaning(lowercased: name) { return meaning }
        let hasUpperCase = name.utf8.contains { (0x41...0x5A).contains($0) }
        return hasUpperCase ? meaning(lowercased: name.lowercased()) : nil
    }

    private static func meaning(lowercased name: String) -> Meaning? {
        switch name {
        case "goal", "goalslug", "goal_slug", "slug": .field(.goal)
        case "value", "val", "amount", "qty", "count", "number": .field(.value)
        case "comment": .field(.comment)
        case "id", "requestid", "request_id", "rid": .field(.id)
        case "timestamp", "ts": .field(.timestamp)
        case "age", "age_s": .field(.age)
        case "daystamp", "date": .field(.day)
        case "token": .field(.token)
        case "dry_run", "dry-run", "dryrun": .dryRun
        case "strict": .strict
        default: nil
        }
    }

    /// Anything but an explicit no is a yes: a press must not be logged by mistake.
    private static func isYes(_ text: String) -> Bool {
        !["0", "false", "no", "off"].contains(text.lowercased())
    }
}

extension PressFields.Field {
    /// Whether two contents of this field are equal: `1` and `+1.0` are one number.
    fileprivate func means(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        switch self {
        case .value, .timestamp, .age:
            guard let left = DecimalText.value(one.trimmed) else { return false }
            return left == DecimalText.value(other.trimmed)
        case .day:
            guard let left = DayReader.day(one, isText: true) else { return false }
            return left == DayReader.day(other, isText: true)
        case .goal, .comment, .id, .token: return false
        }
    }

    /// The name in the manual, and its aliases.
    var names: String {
        switch self {
        case .goal: "'goal' (goalSlug, slug)"
        case .value: "'value' (val, amount, qty, count, number)"
        case .comment: "'comment'"
        case .id: "'id' (requestid, rid, Idempotency-Key)"
        case .timestamp: "'timestamp' (ts)"
        case .age: "'age' (age_s)"
        case .day: "'daystamp' (date)"
        case .token: "'token'"
        }
    }
}

extension String {
    /// Without surrounding blanks and line ends.
    var trimmed: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = utf8.first, let last = utf8.last else { return self }
        guard isBlank(first) || isBlank(last) else { return self }
        var rest = utf8.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return String(Substring(rest))
    }

    /// Whether it contains only blanks.
    fileprivate var isBlank: Bool { utf8.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }
}
