/// What a device sent, by field, before anything is made of it.
///
/// Every body, whatever its form, and the query come through `set`: a name means the same and is
/// judged the same in all of them.
struct PressFields: Sendable, Equatable {
    /// How the body was read; told in the answer, so that a person sees what the relay saw.
    enum Form: String, Sendable {
        case empty, json, form, multipart, text
    }

    /// What a name can mean.
    enum Field: Sendable, CaseIterable {
        case goal, value, comment, id, timestamp, age, day, token
    }

    /// One field with two contents, by whatever names.
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
    /// The name of a field that means something and was given as a list or an object.
    var nested: String?
    /// The first field that was given twice, with different contents.
    var contradiction: Contradiction?
    /// What no field was found for; the first content of each name.
    var metadata: [String: String] = [:]
    /// Names that no field was found for, with nothing that could be kept of their contents.
    var emptyNames: Set<String> = []
    /// Whether the sender only asks how this would be read.
    var isDryRun = false
    /// Whether a name that means nothing is a reason to refuse it.
    var isStrict = false

    /// Names without a meaning of which note is taken, at most.
    static let mostUnknown = 256

    /// The names that mean nothing here, sorted.
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

    // MARK: Taking

    /// Takes a field by any of the names it goes by, in upper or lower case.
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

    /// Takes a field. What is empty says nothing; the same content again is no contradiction.
    mutating func set(_ field: Field, _ text: String) {
        guard let known = self[field], !known.isBlank else {
            self[field] = text
            return
        }
        guard !text.isBlank, !field.means(known, text) else { return }
        contradiction = contradiction ?? Contradiction(field: field, first: known, second: text)
    }

    /// Takes note of a list or an object. Where one has no meaning, it has none.
    mutating func setNested(_ name: String) {
        switch PressFields.meaning(name) {
        case .field: nested = nested ?? name
        case .dryRun: isDryRun = true
        case .strict: isStrict = true
        case nil: note(name)
        }
    }

    /// Takes note of a null, which says nothing, whatever it is called.
    mutating func setNull(_ name: String) {
        if PressFields.meaning(name) == nil { note(name) }
    }

    private mutating func note(_ name: String) {
        if hasRoom { emptyNames.insert(name) }
    }

    private var hasRoom: Bool { metadata.count + emptyNames.count < PressFields.mostUnknown }

    /// Fills what this leaves open from the other. What both say must agree.
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

    /// What a name means; nil when nothing.
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

    /// Anything but a plain no is a yes: what was not meant to be logged must not be.
    private static func isYes(_ text: String) -> Bool {
        !["0", "false", "no", "off"].contains(text.lowercased())
    }
}

extension PressFields.Field {
    /// Whether two contents of this field say the same: `1` and `+1.0` are one number.
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

    /// The name in the manual, and the others it goes by.
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
    /// Without blanks and line ends around it.
    var trimmed: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = utf8.first, let last = utf8.last else { return self }
        guard isBlank(first) || isBlank(last) else { return self }
        var rest = utf8.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return String(Substring(rest))
    }

    /// Whether there is nothing but blanks in it.
    fileprivate var isBlank: Bool { utf8.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }
}
