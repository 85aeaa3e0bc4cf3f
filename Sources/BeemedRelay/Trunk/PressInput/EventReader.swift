import BeemedDomain

/// Reads the events of one request: a JSON array, an object with a member `events` (or Beeminder's
/// `datapoints`), or one object per line. The body is split at once, and its events are read one by
/// one, so that a long body is read in slices.
struct EventReader: Sendable {
    /// The longest event with the white space around it, in bytes, as of the content of one press.
    /// A reader cannot pause within one.
    static let maxBytes = 65_536

    private typealias JSON = BodyReader.JSON

    private let body: [UInt8]
    /// The events as indices of the body, in order. A line may be no JSON.
    private var events: [Range<Int>] = []
    /// The index of the next event.
    private var next = 0

    /// The number of events.
    var count: Int { events.count }

    /// Splits a body.
    ///
    /// - Throws: `Problem` when there are more than `most`, the whole body is not JSON, or an event
    ///   is longer than `maxBytes`.
    init(_ body: [UInt8], atMost most: Int) throws(Problem) {
        self.body = body
        let content = content
        var json = JSON(content)
        switch content.first {
        case UInt8(ascii: "["):
            try addList(&json, atMost: most)
            try read(&json) { (json) throws(JSON.Fault) in try json.expectEnd() }
        case UInt8(ascii: "{"):
            if try addObject(&json, atMost: most) { return }
            try addLines(of: content, atMost: most)
        default: throw fault(at: json)
        }
    }

    /// The fields of the next event, of those that were counted.
    ///
    /// - Throws: `Problem` about content that is no event; the others can be read.
    mutating func nextFields() throws(Problem) -> PressFields {
        let text = body[events[next]]
        next += 1
        guard text.first == UInt8(ascii: "{") else { throw EventReader.noObject }
        do throws(TextPosition) {
            let fields = try BodyReader.json(text)
            fields.settle(Array(text))
            return fields
        } catch {
            throw .malformed(
                BodyReader.isText(text)
                    ? "this event is not valid JSON, or nested too deep, at its \(error)"
                    : "this event is not UTF-8 text; send it as UTF-8")
        }
    }

    // MARK: Splitting

    private mutating func addList(_ json: inout JSON, atMost most: Int) throws(Problem) {
        var hasMore = try read(&json) { (json) throws(JSON.Fault) in try json.begin(.list) }
        while hasMore {
            let event: Range<Int>
            (event, hasMore) = try read(&json) { (json) throws(JSON.Fault) in
                json.skipSpace()
                let start = json.position
                try json.skipElement()
                return (start..<json.position, try json.another(in: .list))
            }
            try add(event, atMost: most)
        }
    }

    /// Adds the events in the list of an object.
    ///
    /// - Returns: false for a body that does not begin with an object with a list of them.
    private mutating func addObject(
        _ json: inout JSON, atMost most: Int
    ) throws(Problem) -> Bool {
        var (hasList, hasOption) = (false, false)
        do throws(Problem) {
            var hasMore = try read(&json) { (json) throws(JSON.Fault) in try json.begin(.object) }
            while hasMore {
                let name = try read(&json) { (json) throws(JSON.Fault) in try json.name() }
                if EventReader.isList(name), hasList || json.isAt(.list) {
                    // A second list would be a queue that is not accepted.
                    guard !hasList else { throw fault(at: json) }
                    hasList = true
                    try addList(&json, atMost: most)
                } else {
                    hasOption = hasOption || PressFields.isOption(name)
                    try read(&json) { (json) throws(JSON.Fault) in try json.skip() }
                }
                hasMore = try read(&json) { (json) throws(JSON.Fault) in
                    try json.another(in: .object)
                }
            }
            try read(&json) { (json) throws(JSON.Fault) in try json.expectEnd() }
        } catch {
            if hasList { throw error }
        }
        // Ignored, it would make a dry run count.
        if hasList, hasOption { throw EventReader.misplacedOption }
        return hasList
    }

    private mutating func addLines(
        of content: ArraySlice<UInt8>, atMost most: Int
    ) throws(Problem) {
        var rest = content
        var start = content.startIndex
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            guard end - start <= EventReader.maxBytes else { throw EventReader.tooLong }
            let text = BodyReader.trimmed(rest[..<end])
            rest = rest[min(end + 1, rest.endIndex)...]
            guard !text.isEmpty else { continue }
            try add(text.startIndex..<text.endIndex, atMost: most)
            start = rest.startIndex
        }
    }

    private mutating func add(_ event: Range<Int>, atMost most: Int) throws(Problem) {
        guard events.count < most else {
            throw Problem(.tooLarge, "at most \(most) events at once; send the rest after these")
        }
        events.append(event)
    }

    /// Reads a part of a list or an object, which must not be too long.
    private func read<Value>(
        _ json: inout JSON, _ part: (inout JSON) throws(JSON.Fault) -> Value
    ) throws(Problem) -> Value {
        let start = json.position
        let value: Value
        do throws(JSON.Fault) { value = try part(&json) } catch { throw fault(at: json) }
        guard json.position - start <= EventReader.maxBytes else { throw EventReader.tooLong }
        return value
    }

    private static func isList(_ name: String) -> Bool {
        ["events", "datapoints"].contains(name.lowercased())
    }

    private var content: ArraySlice<UInt8> { BodyReader.trimmed(body[...]) }

    // MARK: Faults

    private func fault(at json: JSON) -> Problem {
        let content = content
        guard BodyReader.isText(content) else { return .notText }
        let position = TextPosition(json.position, in: content)
        return .malformed(
            "no JSON from \(position) on; send an array of events, an object with 'events', or "
                + "one object a line")
    }

    private static let misplacedOption = Problem.malformed(
        "'dry_run' and 'strict' for all events stand in the query: POST /events?dry_run=1; nothing "
            + "was taken")

    private static let noObject = Problem.malformed(
        "this event is not a JSON object; send {\"goal\": \"water\"}")

    private static let tooLong = Problem(
        .tooLarge,
        "an event has at most \(maxBytes) bytes, with the white space around it; nothing was taken")
}
