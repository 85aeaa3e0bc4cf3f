import BeemedDomain

/// How a press was read; part of its answer.
package struct PressReading: Sendable {
    private(set) var form = PressFields.Form.empty
    private(set) var id: EventID?
    private var time = PressTime.now
    private var ignored: [String] = []
    private var hasDay = false
    /// Whether plain text had more than a number: what followed is the comment, such as a unit.
    private var hasComment = false

    static let none = PressReading()

    var mayHaveNotes: Bool { hasDay || hasComment || !ignored.isEmpty || time != .now }

    private init() {}

    /// For a press that was created from those fields, with this time and this id.
    init(_ fields: PressFields, time: PressTime, id: EventID?) {
        (form, self.time, self.id, ignored) = (fields.form, time, id, fields.ignored)
        hasDay = fields[.day]?.trimmed.isEmpty == false
        hasComment = fields.form == .text && fields[.comment]?.isEmpty == false
    }

    /// Writes what the device should see of the stored press: its day if it named one, which a
    /// number before the value does as well; a time that was replaced; the comment that stood
    /// behind a number; and unknown names.
    ///
    /// - Parameters:
    ///   - room: the bytes that there is room for: a comment is cut, and unknown names are left
    ///     out.
    ///   - withoutComment: whether to leave out the comment, which the caller writes.
    func writeNotes(
        on event: Event, to json: inout JSONWriter, atMost room: Int = .max,
        withoutComment: Bool = false
    ) {
        guard mayHaveNotes else { return }
        let start = json.count
        if hasDay, let day = event.daystamp { json.add("daystamp", day.description) }
        if let replacement = TimeRules.replacement(of: time, in: event) {
            json.add("time", literal: "receipt")
            json.add("timeNote", replacement.words)
        }
        if hasComment, !withoutComment {
            let others = ignored.isEmpty ? 0 : #","ignored":["..."]"#.utf8.count
            let left = room - (json.count - start) - others - #","comment":"#.utf8.count
            json.add("comment", PressReading.fitting(event.comment, in: left))
        }
        guard !ignored.isEmpty else { return }
        let left = room - (json.count - start) - #","ignored":[]"#.utf8.count
        json.addArray("ignored", of: PressReading.fitting(ignored, in: left))
    }

    /// As much of a comment as there is room for as JSON, with its quotes.
    static func fitting(_ comment: String, in room: Int) -> String {
        var text = comment.unicodeScalars[...]
        while true {
            let excess = String(text).bytesAsJSON - room
            guard excess > 0, !text.isEmpty else { return String(text) }
            // A scalar takes twelve bytes at most.
            text = text.dropLast(max(1, excess / 12))
        }
    }

    /// The first names for which there is room as JSON, where a control character takes six bytes;
    /// dots in their place if there is none for any.
    private static func fitting(_ names: [String], in room: Int) -> [String] {
        var room = room
        let fitting = names.prefix { name in
            room -= name.bytesAsJSON + 1
            return room >= 0
        }
        return fitting.isEmpty ? ["..."] : Array(fitting)
    }
}

extension String {
    /// The length as a text of JSON, with its quotes, in bytes.
    var bytesAsJSON: Int {
        var json = JSONWriter(capacity: 64)
        json.element(self)
        return json.count
    }
}

extension TimeReplacement {
    /// The note for the user: why the time of receipt replaces the device's.
    var words: String {
        switch self {
        case .ahead: "a time in the future counts as now"
        case .unset: "a time before 2024, as of a clock never set, counts as now"
        case .old: "a time more than 35 days ago counts as now"
        }
    }
}
