import BeemedDomain

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The fields that a device sent, before validation.
///
/// Every form of body, and the query, are read through `set`: a name has the same meaning and the
/// same checks in all of them. An object, because it is filled in and then read by several in turn.
final class PressFields {
    /// The detected form of the body, reported in the answer so that the user sees how it was read.
    enum Form: String, Sendable {
        case empty, json, form, multipart, text
    }

    /// The known fields.
    enum Field: UInt8, Sendable, CaseIterable {
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
    /// Unknown names; the first content of each.
    var metadata: [String: String] = [:]
    /// Unknown names without content that could be stored.
    var emptyNames: Set<String> = []
    private var repetitions = Repetitions()
    /// Whether this is a dry run.
    var isDryRun = false
    /// Whether an unknown name causes a refusal.
    var isStrict = false

    /// What is known of the fields that were given more than once.
    private struct Repetitions {
        /// The bits of the fields whose content is known not to be blank: it is not looked through
        /// again each time that a field is repeated.
        var filled: UInt8 = 0
        var contradiction: Contradiction?
    }

    /// The first field that was given twice, with different contents.
    var contradiction: Contradiction? { repetitions.contradiction }

    /// Fields of a form, at most.
    static let mostGiven = 1_000

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

    /// Sets a field by the meaning of its name.
    func set(_ meaning: Meaning, _ text: String) {
        switch meaning {
        case .field(let field): set(field, text)
        case .dryRun: isDryRun = isDryRun || PressFields.isYes(text)
        case .strict: isStrict = isStrict || PressFields.isYes(text)
        }
    }

    /// Sets a field by any of its names, in upper or lower case.
    func set(_ name: String, _ text: String) {
        if let meaning = PressFields.meaning(name) { return set(meaning, text) }
        guard hasRoom, metadata[name] == nil else { return }
        metadata[name] = text
    }

    /// Sets a field. Empty content gives way to other content; repeated equal content is no
    /// contradiction.
    func set(_ field: Field, _ text: String) {
        guard let known = self[field], isFilled(field, known) else {
            self[field] = text
            return
        }
        // One contradiction refuses the press: what follows is not compared.
        guard contradiction == nil, !text.trimmed.isEmpty, !field.means(known, text) else { return }
        repetitions.contradiction = Contradiction(field: field, first: known, second: text)
    }

    private func isFilled(_ field: Field, _ known: String) -> Bool {
        let bit: UInt8 = 1 << field.rawValue
        if repetitions.filled & bit == 0, !known.trimmed.isEmpty { repetitions.filled |= bit }
        return repetitions.filled & bit != 0
    }

    /// Records a list or an object. An unknown name stays unknown.
    func setNested(_ name: String) {
        switch PressFields.meaning(name) {
        case .field: nested = nested ?? name
        case .dryRun: isDryRun = true
        case .strict: isStrict = true
        case nil: addUnknown(name)
        }
    }

    /// Records a null under any name.
    func setNull(_ name: String) {
        if let meaning = PressFields.meaning(name) { setNull(meaning) } else { addUnknown(name) }
    }

    /// Records a null, which counts as absent for every field but the value: there it is what
    /// becomes of a number that is none, and not the 1 of a press without a value.
    func setNull(_ meaning: Meaning) {
        if case .field(.value) = meaning { set(.value, "") }
    }

    private func addUnknown(_ name: String) {
        if hasRoom { emptyNames.insert(name) }
    }

    private var hasRoom: Bool { metadata.count + emptyNames.count < PressFields.mostUnknown }

    /// Fills absent fields from the other. Contents present in both must agree.
    func fill(from other: PressFields) {
        for field in Field.allCases {
            if let text = other[field] { set(field, text) }
        }
        nested = nested ?? other.nested
        repetitions.contradiction = contradiction ?? other.contradiction
        metadata.merge(other.metadata) { own, _ in own }
        emptyNames.formUnion(other.emptyNames)
        isDryRun = isDryRun || other.isDryRun
        isStrict = isStrict || other.isStrict
    }

    // MARK: Names

    /// What a known name stands for.
    enum Meaning {
        case field(Field)
        case dryRun, strict
    }

    /// A known name, in lower case.
    struct KnownName {
        let text: StaticString
        let meaning: Meaning

        fileprivate init(_ text: StaticString, _ meaning: Meaning) {
            (self.text, self.meaning) = (text, meaning)
        }
    }

    /// Every known name.
    static let names: [KnownName] = [
        KnownName("goal", .field(.goal)), KnownName("goalslug", .field(.goal)),
        KnownName("goal_slug", .field(.goal)), KnownName("slug", .field(.goal)),
        KnownName("value", .field(.value)), KnownName("val", .field(.value)),
        KnownName("amount", .field(.value)), KnownName("qty", .field(.value)),
        KnownName("count", .field(.value)), KnownName("number", .field(.value)),
        KnownName("comment", .field(.comment)), KnownName("id", .field(.id)),
        KnownName("requestid", .field(.id)), KnownName("request_id", .field(.id)),
        KnownName("rid", .field(.id)), KnownName("timestamp", .field(.timestamp)),
        KnownName("ts", .field(.timestamp)), KnownName("age", .field(.age)),
        KnownName("age_s", .field(.age)), KnownName("daystamp", .field(.day)),
        KnownName("date", .field(.day)), KnownName("token", .field(.token)),
        KnownName("dry_run", .dryRun), KnownName("dry-run", .dryRun), KnownName("dryrun", .dryRun),
        KnownName("strict", .strict),
    ]

    /// The names of up to seven bytes as words with the first byte lowest; zero for longer ones.
    private static let shortNames: [UInt64] = names.map { name in
        name.text.withUTF8Buffer { bytes in
            guard bytes.count < 8 else { return 0 }
            return unsafe bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The index in `names` of a name of up to seven bytes in lower case, as in most bodies.
    static func place(ofShort name: UInt64) -> Int? {
        name == 0 ? nil : shortNames.firstIndex(of: name)
    }

    /// The index in `names` of the name that these bytes spell in lower case.
    static func place(of name: borrowing Span<UInt8>) -> Int? {
        for place in names.indices where names[place].text.utf8CodeUnitCount == name.count {
            let isEqual = unsafe name.withUnsafeBytes { bytes in
                guard let first = bytes.baseAddress else { return false }
                return unsafe memcmp(first, names[place].text.utf8Start, bytes.count) == 0
            }
            if isEqual { return place }
        }
        return nil
    }

    /// The meaning of a name; nil when it is unknown.
    static func meaning(_ name: String) -> Meaning? {
        if let place = place(of: name.utf8.span) { return names[place].meaning }
        let hasUpperCase = name.utf8.contains { (0x41...0x5A).contains($0) }
        guard hasUpperCase, name.utf8.count <= longestName else { return nil }
        let lowercased = name.lowercased()
        return place(of: lowercased.utf8.span).map { names[$0].meaning }
    }

    /// The greatest length of a known name, in bytes.
    private static let longestName = names.map(\.text.utf8CodeUnitCount).max() ?? 0

    /// Anything but an explicit no is a yes: a press must not be logged by mistake.
    private static func isYes(_ text: String) -> Bool {
        text.utf8.count > 5 || !["0", "false", "no", "off"].contains(text.lowercased())
    }
}

extension PressFields.Field {
    /// The longest content that is read as a number or a day for a comparison, in bytes: who
    /// repeats a long one must not make it be read as often.
    private static let longestCompared = 64

    /// Whether two contents of this field are equal: `1` and `+1.0` are one number.
    fileprivate func means(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        guard max(one.utf8.count, other.utf8.count) <= Self.longestCompared else { return false }
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
