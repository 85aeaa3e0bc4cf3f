import BeemedDomain

/// Reads the events of one request one by one: a JSON array, an object with a member `events` (or
/// Beeminder's `datapoints`), or one object per line. It can pause after any event, so that a long
/// body is read in slices.
struct EventReader: Sendable {
    /// An element of the list.
    enum Element {
        case fields(PressFields)
        /// JSON, but not an object.
        case noObject
        /// A line with invalid JSON at this position.
        case malformed(TextPosition)
        /// A line that is not UTF-8.
        case notText
        /// An event that was only counted.
        case passed
    }

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
    /// For lines: the unread rest, and the number of its first line.
    private var rest: ArraySlice<UInt8>
    private var line: Int

    /// A reader before the first event.
    ///
    /// - Throws: `BodyReader.Fault.malformedJSON` when the body has none of these forms.
    init(_ body: [UInt8]) throws(BodyReader.Fault) {
        let content = BodyReader.trimmed(body[...])
        let firstLine = BodyReader.line(of: content, in: body)
        (self.content, rest) = (content, content)
        (self.firstLine, line) = (firstLine, firstLine)
        var json = JSON(content)
        switch content.first {
        case UInt8(ascii: "["):
            shape = .list
            do throws(JSON.Fault) {
                hasMore = try json.begin(.list)
                if !hasMore { try json.expectEnd() }
            } catch {
                throw .malformedJSON(TextPosition(json.position, in: content, fromLine: firstLine))
            }
        case UInt8(ascii: "{"):
            let envelope = EventReader.envelope(json)
            shape = envelope == nil ? .lines : .envelope
            json = envelope?.json ?? json
            hasMore = envelope?.hasMore ?? true
        default:
            guard BodyReader.isText(content) else { throw .notText }
            throw .malformedJSON(TextPosition(content.startIndex, in: content, fromLine: firstLine))
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

    /// The next event, in order; nil after the last one.
    ///
    /// - Parameter reads: whether to read the contents. If not, only the syntax is checked, which
    ///   costs less.
    /// - Throws: `BodyReader.Fault.malformedJSON`, when the whole body is not JSON, and `.tooLong`
    ///   for an event that is longer than `maxBytes`.
    mutating func next(reads: Bool = true) throws(BodyReader.Fault) -> Element? {
        guard shape != .lines else { return try nextLine(reads: reads) }
        guard hasMore else { return nil }
        let element: Element
        let content = content
        (element, hasMore) = try limited { (json) throws(JSON.Fault) in
            json.skipSpace()
            let start = json.position
            let element = try EventReader.parse(&json, reads)
            if case .fields(let fields) = element {
                fields.settle(Array(content[start..<json.position]))
            }
            return (element, try json.another(in: .list))
        }
        if !hasMore { try leave() }
        return element
    }

    /// The index of the next byte to be read.
    var position: Int { shape == .lines ? rest.startIndex : json.position }

    private mutating func limited<Value>(
        _ read: (inout JSON) throws(JSON.Fault) -> Value
    ) throws(BodyReader.Fault) -> Value {
        let end = json.position + EventReader.maxBytes
        do throws(JSON.Fault) {
            return try json.limited(to: EventReader.maxBytes, read)
        } catch {
            // A token that has not all come ends a few bytes before.
            let isCut = end < content.endIndex && json.position > end - 8
            throw isCut ? .tooLong : fault
        }
    }

    private static func parse(_ json: inout JSON, _ reads: Bool) throws(JSON.Fault) -> Element {
        guard reads, json.isAt(.object) else {
            try json.skip()
            return reads ? .noObject : .passed
        }
        return .fields(try BodyReader.object(&json))
    }

    /// Checks that the body ends correctly after the list.
    private mutating func leave() throws(BodyReader.Fault) {
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

    private var fault: BodyReader.Fault {
        guard BodyReader.isText(content) else { return .notText }
        return .malformedJSON(TextPosition(json.position, in: content, fromLine: firstLine))
    }

    private mutating func nextLine(reads: Bool) throws(BodyReader.Fault) -> Element? {
        let most = rest.startIndex + EventReader.maxBytes
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            guard end <= most else { throw .tooLong }
            let text = BodyReader.trimmed(rest[..<end])
            let number = line
            rest = rest[min(end + 1, rest.endIndex)...]
            line += 1
            guard let first = text.first else { continue }
            guard reads else { return .passed }
            guard first == UInt8(ascii: "{") else { return .noObject }
            do throws(TextPosition) {
                let fields = try BodyReader.json(text, fromLine: number)
                fields.settle(Array(text))
                return .fields(fields)
            } catch { return BodyReader.isText(text) ? .malformed(error) : .notText }
        }
        return nil
    }
}
