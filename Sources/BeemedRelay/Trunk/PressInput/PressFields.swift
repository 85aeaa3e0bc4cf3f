import BeemedDomain

/// The fields that a device sent, before validation.
///
/// Every form of body, and the query, are read through `set`: a name has the same meaning and the
/// same checks in all of them. An object, because it is filled in and then read by several in turn.
///
/// There are three kinds of names. A name that no other program sends by itself, as `value`, always
/// counts, and shows that the body is for the relay (`isOurs`). A general name, as `amount` or `id`,
/// counts if no unknown one is beside it (`settle`): else the body is another program's, and a number
/// in it makes the press unclear instead of a value (`unclear`). Unknown names become metadata.
package final class PressFields {
    /// The detected form of the body, reported in the answer so that the user sees how it was read.
    enum Form: String, Sendable {
        case empty, json, form, multipart, text
    }

    /// The known fields: `texts` has room for these twelve.
    package enum Field: UInt8, Sendable, CaseIterable {
        /// The contents of a press.
        case goal, value, comment, id, timestamp, age, day
        /// The token of its sender.
        case token
        /// How the press is to be read; no text is kept of it.
        case dryRun, strict
        /// A datapoint as Beeminder's text, and a list of datapoints, which are read at once.
        case urtext, datapoints
    }

    var form = Form.empty
    private var texts = InlineArray<12, String?>(repeating: nil)
    /// A general name of a goal beside names that are not ours: it counts if the path names none.
    private(set) var slug: String?
    /// A field that is not read and that may have the value: without one the press is no 1.
    private(set) var unclear: String?
    private var foreign = ForeignNumbers()
    /// Whether the day is in a text of Beeminder's, where shorter forms are allowed.
    private(set) var isDayWritten = false
    /// Why a list or a text of datapoints is not one press.
    private(set) var fault: Problem?
    /// The refusal of the first field that was given twice, with different contents.
    private(set) var contradiction: Problem?
    /// Fields with general names: whether they are the press's is known when all names are.
    private var general: [(name: KnownName, content: Content)] = []
    /// Whether a field was given that no other program sends by itself.
    private var isOurs = false
    /// Whether the time has the name `ts`, which an event of a Shelly has beside the number of a
    /// button as `id`.
    private var isTimeShort = false
    /// The `id` that was given where the whole content is the id of the press.
    private(set) var givenID: String?
    /// The name of a known field that was given as a list or an object.
    var nested: String?
    /// Unknown names; the first content of each.
    package var metadata: [String: String] = [:]
    /// Unknown names without content that could be stored.
    var emptyNames: Set<String> = []
    /// Whether this is a dry run.
    package var isDryRun = false

    /// The fields of an empty press.
    package init() {}

    /// Whether an unknown name causes a refusal.
    var isStrict = false

    /// Fields of a form, at most.
    static let maxGiven = 1_000

    static let maxUnknown = 256

    var unknownNames: [String] { (Array(metadata.keys) + emptyNames).sorted() }

    /// A field, as it was given.
    package subscript(field: Field) -> String? {
        get { texts[Int(field.rawValue)] }
        set { texts[Int(field.rawValue)] = newValue }
    }

    /// A field without the white space around it; nil for one that is empty.
    func filled(_ field: Field) -> String? {
        guard let text = self[field]?.trimmed, !text.isEmpty else { return nil }
        return text
    }

    // MARK: Setting

    /// The content of a field, as far as a press can use it.
    typealias Content = BodyReader.JSON.Scalar

    /// Sets a field by any of its names, in upper or lower case.
    func set(_ name: String, _ content: Content) {
        guard let known = PressFields.known(name) else { return setUnknown(name, content) }
        set(known, content)
    }

    func set(_ name: KnownName, _ content: Content) {
        // Others have lists or objects named `comment` and `date` beside theirs.
        let isTheirs = content == .nested && [.comment, .day].contains(name.field)
        if name.isGeneral || isTheirs {
            general.append((name, content))
        } else {
            setOwn(name, content)
        }
    }

    /// Sets a field whose name has one meaning only. A null counts as absent for every field but
    /// the value: there it is what becomes of a number that is none, and not the 1 of a press
    /// without a value.
    private func setOwn(_ name: KnownName, _ content: Content) {
        switch (name.field, content) {
        case (.urtext, .text(let text)): readDatapoint(text)
        case (.datapoints, .text(let text)): BodyReader.datapoints(text, of: self)
        case (.urtext, _), (.datapoints, _): refuse(.noPress)
        case (.value, .null): set(.value, "")
        case (_, .null): break
        case (.dryRun, .text(let text)): isDryRun = isDryRun || PressFields.isYes(text)
        case (.strict, .text(let text)): isStrict = isStrict || PressFields.isYes(text)
        case (.dryRun, .nested): isDryRun = true
        case (.strict, .nested): isStrict = true
        case (_, .nested): nested = nested ?? name.text
        case (let field, .text(let text)):
            isOurs = isOurs || name.isOurs && !text.isEmpty
            isTimeShort = isTimeShort || name.text == "ts"
            set(field, text)
        }
    }

    private func readDatapoint(_ text: String) {
        do throws(Problem) {
            let read = try BodyReader.plain(text.trimmed)
            isDayWritten = true
            for field in [.value, .day, .comment] as [Field] {
                if let text = read[field] { set(field, text) }
            }
        } catch {
            refuse(error)
        }
    }

    /// Records why the content is no press; the first reason counts.
    func refuse(_ fault: Problem) { self.fault = self.fault ?? fault }

    /// Decides about the general names when all names are known. Beside names that are not ours
    /// they are somebody else's: GitHub's `number` is that of an issue, and an `id` that of a place
    /// or a machine, which each of its requests has. Where the content is for the relay all the
    /// same, its `id` is that of the press.
    ///
    /// - Parameter content: all bytes of the fields, by which their `id` is told from others then.
    func settle(_ content: @autoclosure () -> [UInt8]) {
        guard !general.isEmpty else { return }
        let waiting = general
        general = []
        guard !metadata.isEmpty || !emptyNames.isEmpty else {
            for (name, content) in waiting { setOwn(name, content) }
            return
        }
        isOurs = isOurs || hasUnixTime
        for (name, found) in waiting { setForeign(name, found, content) }
    }

    /// Sets a field with a general name beside names that are not ours.
    private func setForeign(_ name: KnownName, _ found: Content, _ content: () -> [UInt8]) {
        guard case .text(let said) = found else { return setUnknown(name.text, found) }
        switch name.field {
        case .goal: slug = slug ?? said
        case .id where self[.id] != nil: setUnknown(name.text, found)
        case .id where isOurs: self[.id] = said
        case .id:
            givenID = said
            let digest = SHA256Digest.hex(SHA256Digest.of(content()).prefix(16))
            self[.id] = said.trimmed.isEmpty ? nil : "content-\(digest)"
        case .value:
            setUnknown(name.text, found)
            if name.isAmount || isOurs { unclear = unclear ?? name.text }
        default: set(name.field, said)
        }
    }

    /// Whether there is a `timestamp` in seconds, of a clock that is set.
    private var hasUnixTime: Bool {
        guard !isTimeShort,
            let seconds = self[.timestamp].flatMap({ DecimalText.value($0.trimmed) })
        else { return false }
        return seconds >= Double(TimeRules.earliest.seconds)
            && seconds < Double(TimeRules.millisecondsFrom.seconds)
    }

    /// Sets a field. Empty content gives way, and equal content is no contradiction.
    func set(_ field: Field, _ text: String) {
        guard let known = self[field], !known.utf8.allSatisfy(\.isBlank) else {
            self[field] = text
            return
        }
        // A single contradiction refuses the press: further ones are not compared.
        guard contradiction == nil, !text.trimmed.isEmpty, !field.means(known, text) else { return }
        contradiction = field.contradiction(known, text)
    }

    func setUnknown(_ name: String, _ content: Content) {
        if foreign.isValueSaid(content, in: name) { unclear = unclear ?? name }
        guard metadata.count + emptyNames.count < PressFields.maxUnknown, metadata[name] == nil
        else { return }
        if case .text(let text) = content { metadata[name] = text } else { emptyNames.insert(name) }
    }

    /// Reads the content of a member with an unknown name.
    func setUnknown(_ name: String, _ json: inout BodyReader.JSON) throws(BodyReader.JSON.Fault) {
        guard json.isAt(.list) || json.isAt(.object) else {
            return setUnknown(name, try json.scalar())
        }
        var left = Int.max
        let content = try JSONTree(&json, &left)
        if foreign.isValueSaid(content, in: name) { unclear = unclear ?? name }
        if foreign.isHealth { refuse(.healthData) }
        setUnknown(name, .nested)
    }

    /// Decides about a whole content. The total of a day is no press. A number that is a name, as in
    /// `5=`, or all that is said, may be the value.
    func evaluateWhole() {
        guard !metadata.isEmpty || !emptyNames.isEmpty else { return }
        if self[.value] != nil, metadata["metric"] != nil { refuse(.healthData) }
        unclear = unclear ?? unknownNames.first { DecimalText.value($0.trimmed) != nil }
        guard let name = foreign.lone, general.isEmpty,
            Field.allCases.allSatisfy({ $0 == .token || self[$0] == nil })
        else { return }
        unclear = unclear ?? name
    }

    /// A number that evidently is the amount, and is not read: under the name of a unit or of the
    /// goal, in a content that is for the relay, or that says nothing else. A unit may follow it,
    /// as in `250 ml`, and so may minutes, as in `1:30`.
    func unreadAmount(of goal: GoalSlug) -> String? {
        guard isOurs || unknownNames.count == 1 else { return nil }
        return metadata.keys.sorted().first { name in
            let isNamed =
                ForeignNumbers.isUnit(name) || name.lowercased() == goal.description.lowercased()
            let text = metadata[name] ?? ""
            let begins = text.trimmed.first?.isWholeNumber ?? false
            return isNamed && (begins || ForeignNumbers.isNumber(text))
        }
    }

    /// Fills absent fields from the other, those of a query or of an object in a list. Contents
    /// present in both must agree. The other was judged alone: that a number in it is not read, or
    /// that its time has the name of a Shelly's, says nothing of these fields.
    func fill(from other: PressFields) {
        for field in Field.allCases {
            if let text = other[field] { set(field, text) }
        }
        nested = nested ?? other.nested
        slug = slug ?? other.slug
        unclear = unclear ?? other.unclear
        isDayWritten = isDayWritten || other.isDayWritten
        fault = fault ?? other.fault
        general += other.general
        contradiction = contradiction ?? other.contradiction
        // The query of an address that somebody gave to another program says nothing of its body.
        isOurs = isOurs || other.isOurs && (form == .empty || other.form != .form)
        metadata.merge(other.metadata) { own, _ in own }
        emptyNames.formUnion(other.emptyNames)
        isDryRun = isDryRun || other.isDryRun
        isStrict = isStrict || other.isStrict
    }

    // MARK: Names

    struct KnownName {
        let text: String
        let field: Field
        /// Whether others use the name otherwise: it counts only where all other names are ours.
        fileprivate let isGeneral: Bool
        /// Whether no other program sends this name by itself.
        fileprivate let isOurs: Bool

        /// Whether the name says an amount, and not only a number, as `count` does.
        fileprivate var isAmount: Bool { !["count", "number"].contains(text) }
    }

    static let names: [KnownName] =
        names(.goal, ours: ["goal", "goalslug", "goal_slug"], general: ["slug"])
        + names(.value, ours: ["value"], general: ["val", "amount", "qty", "count", "number"])
        + names(.comment, ours: ["comment"])
        + names(.id, general: ["id"], others: ["requestid", "request_id", "rid"])
        + names(.timestamp, others: ["timestamp", "ts"]) + names(.age, ours: ["age", "age_s"])
        + names(.day, ours: ["daystamp"], others: ["date"]) + names(.token, others: ["token"])
        + names(.dryRun, others: ["dry_run", "dry-run", "dryrun"])
        + names(.strict, others: ["strict"]) + names(.urtext, others: ["urtext"])
        + names(.datapoints, others: ["datapoints", "events"])

    private static func names(
        _ field: Field, ours: [String] = [], general: [String] = [], others: [String] = []
    ) -> [KnownName] {
        (ours + general + others).map { text in
            KnownName(
                text: text, field: field, isGeneral: general.contains(text),
                isOurs: ours.contains(text))
        }
    }

    /// The known name that a text is in upper or lower case; nil when unknown.
    static func known(_ name: String) -> KnownName? {
        guard name.utf8.count <= longestName else { return nil }
        // To compare it with all takes less time than to hash it.
        if let known = names.first(where: { $0.text == name }) { return known }
        let name = name.lowercased()
        return names.first { $0.text == name }
    }

    /// Whether a name is that of a content of a press.
    static func isContent(_ name: String) -> Bool {
        known(name).map { $0.field.rawValue < Field.token.rawValue } ?? false
    }

    private static let longestName = names.map(\.text.utf8.count).max() ?? 0

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
            guard let left = DecimalText.amount(one.trimmed) else { return false }
            return left == DecimalText.amount(other.trimmed)
        case .day:
            guard let left = DayReader.day(one, isText: true) else { return false }
            return left == DayReader.day(other, isText: true)
        default: return false
        }
    }

    /// The name in the manual, and its aliases.
    var names: String {
        let names = PressFields.names.filter { $0.field == self }.map(\.text)
        let others = names.dropFirst() + (self == .id ? ["Idempotency-Key"] : [])
        return "'\(names[0])'" + (others.isEmpty ? "" : " (\(others.joined(separator: ", ")))")
    }
}
