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
        let content = BodyReader.trimmed(body[...])
        var json = JSON(content)
        var options: [String] = []
        do throws(JSON.Fault) {
            switch content.first {
            case UInt8(ascii: "["):
                try addList(&json)
                try json.expectEnd()
            case UInt8(ascii: "{"):
                if let names = try addObject(&json) { options = names } else { addLines(content) }
            default: throw JSON.Fault()
            }
        } catch { throw EventReader.fault(at: json.position, in: content) }
        // Ignored, it would make a dry run count.
        if options.contains(where: { [.dryRun, .strict].contains(PressFields.known($0)?.field) }) {
            throw EventReader.misplacedOption
        }
        guard events.count <= most else {
            throw Problem(.tooLarge, "at most \(most) events at once; send the rest after these")
        }
        var end = content.startIndex
        for event in events + [content.endIndex..<content.endIndex] {
            guard max(event.count, event.lowerBound - end) <= EventReader.maxBytes else {
                throw EventReader.tooLong
            }
            end = event.upperBound
        }
    }

    /// The fields of the next event, of those that were counted.
    ///
    /// - Throws: `Problem` about content that is no event; the others can be read.
    mutating func nextFields() throws(Problem) -> PressFields {
        let text = body[events[next]]
        next += 1
        guard text.first == UInt8(ascii: "{") else { throw EventReader.noObject }
        let fields = try BodyReader.json(text, isEvent: true)
        fields.settle(Array(text))
        return fields
    }

    // MARK: Splitting

    private mutating func addList(_ json: inout JSON) throws(JSON.Fault) {
        guard try json.begin(.list) else { return }
        repeat {
            json.skipSpace()
            let start = json.position
            try json.skip(isStrict: false)
            events.append(start..<json.position)
        } while try json.another(in: .list)
    }

    /// Adds the events in the list of an object, and returns the names of its other members; nil
    /// for a body that does not begin with an object with such a list.
    private mutating func addObject(_ json: inout JSON) throws(JSON.Fault) -> [String]? {
        var (hasList, others) = (false, [String]())
        do throws(JSON.Fault) {
            var hasMore = try json.begin(.object)
            while hasMore {
                let name = try json.name()
                if ["events", "datapoints"].contains(name.lowercased()),
                    hasList || json.isAt(.list)
                {
                    // A second list would be a queue that is not accepted.
                    guard !hasList else { throw JSON.Fault() }
                    hasList = true
                    try addList(&json)
                } else {
                    others.append(name)
                    try json.skip()
                }
                hasMore = try json.another(in: .object)
            }
            try json.expectEnd()
        } catch {
            if hasList { throw error }
        }
        return hasList ? others : nil
    }

    private mutating func addLines(_ content: ArraySlice<UInt8>) {
        for line in content.split(separator: 0x0A) {
            let text = BodyReader.trimmed(line)
            if !text.isEmpty { events.append(text.startIndex..<text.endIndex) }
        }
    }

    // MARK: Faults

    private static func fault(at index: Int, in content: ArraySlice<UInt8>) -> Problem {
        guard BodyReader.isText(content) else { return .notText }
        return .malformed(
            "no JSON from \(TextPosition(index, in: content)) on; send an array of events, an "
                + "object with 'events', or one object a line")
    }

    private static let misplacedOption = Problem.malformed(
        "'dry_run' and 'strict' for all events stand in the query: POST /events?dry_run=1; nothing "
            + "was taken")

    private static let noObject = Problem.malformed(
        "this event is not a JSON object; send {\"goal\": \"water\"}")

    private static let tooLong = Problem(
        .tooLarge,
        "an event has at most \(maxBytes) bytes, and so has all that stands beside the events; "
            + "nothing was taken")
}
