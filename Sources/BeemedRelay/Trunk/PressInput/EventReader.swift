import BeemedDomain

/// Reads the events of one request one by one: a JSON array, an object with a member `events` (or
/// Beeminder's `datapoints`), or one object per line. It can pause after any event, so that a long
/// body is read in slices.
struct EventReader: Sendable {
    /// The longest event with the white space around it, in bytes, as of the content of one press.
    /// A reader cannot pause within one.
    static let maxBytes = 65_536

    private typealias JSON = BodyReader.JSON

    private enum Shape {
        case list, envelope, lines
    }

    private let shape: Shape
    private let content: ArraySlice<UInt8>
    private let firstLine: Int
    private var json: BodyReader.JSON
    private var hasMore: Bool
    /// For lines: the unread rest, and the number of the last line before it.
    private var rest: ArraySlice<UInt8>
    private var line: Int

    /// A reader before the first event.
    init(_ body: [UInt8]) throws(Problem) {
        let content = BodyReader.trimmed(body[...])
        let firstLine = BodyReader.line(of: content, in: body)
        (self.content, rest) = (content, content)
        (self.firstLine, line) = (firstLine, firstLine - 1)
        var json = JSON(content)
        switch content.first {
        case UInt8(ascii: "["):
            shape = .list
            do throws(JSON.Fault) {
                hasMore = try json.begin(.list)
                if !hasMore { try json.expectEnd() }
            } catch {
                throw EventReader.noJSON(
                    TextPosition(json.position, in: content, fromLine: firstLine))
            }
        case UInt8(ascii: "{"):
            let envelope = EventReader.envelope(json)
            shape = envelope == nil ? .lines : .envelope
            json = envelope?.json ?? json
            hasMore = envelope?.hasMore ?? true
        default:
            guard BodyReader.isText(content) else { throw .notText }
            throw EventReader.noJSON(
                TextPosition(content.startIndex, in: content, fromLine: firstLine))
        }
        self.json = json
        if shape == .envelope, !hasMore { try leave() }
    }

    /// Enters the list `events` of an object; nil if the object has none.
    private static func envelope(_ start: JSON) -> (json: JSON, hasMore: Bool)? {
        var json = start
        let hasMore = try? json.limited(to: maxBytes, enterEvents)
        return hasMore.map { (json, $0) }
    }

    private static func isList(_ name: String) -> Bool {
        ["events", "datapoints"].contains(name.lowercased())
    }

    /// - Returns: whether there is an event; nil if the object has no list of them.
    private static func enterEvents(_ json: inout JSON) throws(JSON.Fault) -> Bool? {
        guard try json.begin(.object) else { return nil }
        repeat {
            let name = try json.name()
            if isList(name), json.isAt(.list) { return try json.begin(.list) }
            try json.skip()
        } while try json.another(in: .object)
        return nil
    }

    private static func noJSON(_ position: TextPosition) -> Problem {
        .malformed(
            "no JSON from \(position) on; send an array of events, an object with 'events', or "
                + "one object a line")
    }

    private static let noObject = Problem.malformed(
        "this event is not a JSON object; send {\"goal\": \"water\"}")

    /// The number of events.
    ///
    /// - Throws: `Problem` when there are more than `most`, the whole body is not JSON, or an event
    ///   is longer than `maxBytes`.
    func count(atMost most: Int) throws(Problem) -> Int {
        var (reader, count) = (self, 0)
        while try reader.nextText() != nil {
            count += 1
            guard count <= most else {
                throw Problem(
                    .tooLarge, "at most \(most) events at once; send the rest after these")
            }
        }
        return count
    }

    /// The fields of the next event, of those that were counted.
    ///
    /// - Throws: `Problem` about content that is no event; the others can be read.
    mutating func nextFields() throws(Problem) -> PressFields {
        guard let text = try nextText(), text.first == UInt8(ascii: "{") else {
            throw EventReader.noObject
        }
        do throws(TextPosition) {
            let fields = try BodyReader.json(text, fromLine: line)
            fields.settle(Array(text))
            return fields
        } catch {
            throw .malformed(
                BodyReader.isText(text)
                    ? "this event is not valid JSON at \(error) of the body"
                    : "this event is not UTF-8 text; send it as UTF-8")
        }
    }

    /// The bytes of the next event, in order; nil after the last one. Those of a line may be no
    /// JSON.
    private mutating func nextText() throws(Problem) -> ArraySlice<UInt8>? {
        guard shape != .lines else { return try nextLine() }
        guard hasMore else { return nil }
        let content = content
        let text: ArraySlice<UInt8>
        (text, hasMore) = try limited { (json) throws(JSON.Fault) in
            json.skipSpace()
            let start = json.position
            try json.skip()
            return (content[start..<json.position], try json.another(in: .list))
        }
        if !hasMore { try leave() }
        return text
    }

    private mutating func limited<Value>(
        _ read: (inout JSON) throws(JSON.Fault) -> Value
    ) throws(Problem) -> Value {
        let end = json.position + EventReader.maxBytes
        do throws(JSON.Fault) {
            return try json.limited(to: EventReader.maxBytes, read)
        } catch {
            // A token that has not all come ends a few bytes before.
            let isCut = end < content.endIndex && json.position > end - 8
            guard isCut else { throw fault }
            throw EventReader.tooLong
        }
    }

    /// Checks that the body ends correctly after the list.
    private mutating func leave() throws(Problem) {
        let isEnvelope = shape == .envelope
        try limited { (json) throws(JSON.Fault) in
            while isEnvelope, try json.another(in: .object) {
                // A second list would be a queue that is not accepted.
                guard !EventReader.isList(try json.name()) else { throw JSON.Fault() }
                try json.skip()
            }
        }
        do throws(JSON.Fault) { try json.expectEnd() } catch { throw fault }
    }

    private var fault: Problem {
        guard BodyReader.isText(content) else { return .notText }
        return EventReader.noJSON(
            TextPosition(json.position, in: content, fromLine: firstLine, note: json.depthNote))
    }

    private static let tooLong = Problem(
        .tooLarge,
        "an event has at most \(maxBytes) bytes, with the white space around it; nothing was taken")

    private mutating func nextLine() throws(Problem) -> ArraySlice<UInt8>? {
        let most = rest.startIndex + EventReader.maxBytes
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            guard end <= most else { throw EventReader.tooLong }
            let text = BodyReader.trimmed(rest[..<end])
            rest = rest[min(end + 1, rest.endIndex)...]
            line += 1
            if !text.isEmpty { return text }
        }
        return nil
    }
}
