import BeemedDomain

/// How a press was read; part of its answer.
package struct PressReading: Sendable {
    /// The parts that few presses have: most are only a goal and a value.
    private final class Rare: Sendable {
        /// Unknown names.
        let ignored: [String]
        /// The time that the device sent.
        let time: PressTime
        /// The id that the device sent.
        let id: EventID?
        /// The parts of the press that the answer repeats.
        let echo: Echo

        init(ignored: [String], time: PressTime, id: EventID?, echo: Echo) {
            (self.ignored, self.time, self.id, self.echo) = (ignored, time, id, echo)
        }

        var hasNotes: Bool { !ignored.isEmpty || time != .now || echo != Echo() }
    }

    /// The parts of the press that the answer repeats.
    private struct Echo: Equatable {
        /// The device named a day.
        var day = false
        /// Plain text had more than a number: what followed is the comment, such as a unit.
        var comment = false
    }

    let form: PressFields.Form
    private let rare: Rare?

    /// For anything but a press.
    static let none = PressReading(form: .empty, nil)

    /// The id that the device sent.
    var id: EventID? { rare?.id }

    /// Whether `writeNotes` may write anything.
    var mayHaveNotes: Bool { rare?.hasNotes ?? false }

    /// For a press that was created from those fields, with this time and this id.
    init(_ fields: PressFields, time: PressTime, id: EventID?) {
        let echo = Echo(
            day: fields[.day]?.trimmed.isEmpty == false,
            comment: fields.form == .text && fields[.comment]?.isEmpty == false)
        let ignored = fields.ignored
        let isPlain = ignored.isEmpty && time == .now && id == nil && echo == Echo()
        self.init(
            form: fields.form,
            isPlain ? nil : Rare(ignored: ignored, time: time, id: id, echo: echo))
    }

    private init(form: PressFields.Form, _ rare: Rare?) {
        (self.form, self.rare) = (form, rare)
    }

    /// Writes what the device should see of the stored press: its day if it named one, which a
    /// number before the value does as well; a time that was replaced; the comment that stood
    /// behind a number; and unknown names.
    ///
    /// - Parameters:
    ///   - room: the bytes that there is room for: a comment is cut, and unknown names are left
    ///     out.
    ///   - hasComment: whether the caller writes the comment.
    func writeNotes(
        on event: Event, to json: inout JSONWriter, atMost room: Int = .max,
        hasComment: Bool = false
    ) {
        guard let rare else { return }
        let start = json.count
        if rare.echo.day, let day = event.daystamp { json.add("daystamp", day.description) }
        if let replacement = TimeRules.replacement(of: rare.time, in: event) {
            json.add("time", literal: "receipt")
            json.add("timeNote", replacement.words)
        }
        if rare.echo.comment, !hasComment {
            let others = rare.ignored.isEmpty ? 0 : #","ignored":["..."]"#.utf8.count
            let left = room - (json.count - start) - others - #","comment":"#.utf8.count
            json.add("comment", PressReading.fitting(event.comment, in: left))
        }
        guard !rare.ignored.isEmpty else { return }
        let left = room - (json.count - start) - #","ignored":[]"#.utf8.count
        json.add("ignored", PressReading.fitting(rare.ignored, in: left))
    }

    /// As much of a comment as there is room for as JSON, with its quotes.
    private static func fitting(_ comment: String, in room: Int) -> String {
        var text = comment.unicodeScalars[...]
        while true {
            var json = JSONWriter(capacity: 64)
            json.element(String(text))
            guard json.count > room, !text.isEmpty else { return String(text) }
            // A scalar takes twelve bytes at most.
            text = text.dropLast(max(1, (json.count - room) / 12))
        }
    }

    /// The first names for which there is room as JSON, where a control character takes six bytes;
    /// dots in their place if there is none for any.
    private static func fitting(_ names: [String], in room: Int) -> [String] {
        var room = room
        let fitting = names.prefix { name in
            var text = JSONWriter(capacity: 64)
            text.element(name)
            room -= text.count + 1
            return room >= 0
        }
        return fitting.isEmpty ? ["..."] : Array(fitting)
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
