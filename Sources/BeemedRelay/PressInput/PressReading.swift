import BeemedDomain

/// How a press was read; part of its answer.
struct PressReading: Sendable {
    /// What few presses have: most are only a goal and a value.
    private final class Rare: Sendable {
        /// Unknown names.
        let ignored: [String]
        /// The time that the device sent.
        let time: PressTime
        /// The id that the device sent.
        let id: EventID?
        /// Whether the device named a day.
        let namesDay: Bool

        init(ignored: [String], time: PressTime, id: EventID?, namesDay: Bool) {
            (self.ignored, self.time, self.id, self.namesDay) = (ignored, time, id, namesDay)
        }

        var hasNotes: Bool { !ignored.isEmpty || time != .now || namesDay }
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
        let namesDay = fields.day?.trimmed.isEmpty == false
        let ignored = fields.ignored
        let isPlain = ignored.isEmpty && time == .now && id == nil && !namesDay
        self.init(
            form: fields.form,
            isPlain ? nil : Rare(ignored: ignored, time: time, id: id, namesDay: namesDay))
    }

    /// The same of a press with another id.
    func with(_ id: EventID) -> PressReading {
        PressReading(
            form: form,
            Rare(
                ignored: rare?.ignored ?? [], time: rare?.time ?? .now, id: id,
                namesDay: rare?.namesDay ?? false))
    }

    private init(form: PressFields.Form, _ rare: Rare?) {
        (self.form, self.rare) = (form, rare)
    }

    /// Writes what the device should see of the stored press: its day if it named one, which a
    /// number before the value does as well; a time that was replaced; and unknown names.
    ///
    /// - Parameter room: the bytes that there is room for; unknown names beyond that are left out.
    func writeNotes(on event: Event, to json: inout JSONWriter, atMost room: Int = .max) {
        guard let rare else { return }
        let start = json.count
        if rare.namesDay, let day = event.daystamp { json.add("daystamp", day.description) }
        if let replacement = TimeRules.replacement(of: rare.time, in: event) {
            json.add("time", literal: "receipt")
            json.add("timeNote", replacement.words)
        }
        guard !rare.ignored.isEmpty else { return }
        let left = room - (json.count - start) - #","ignored":[]"#.utf8.count
        let fitting = PressReading.fitting(rare.ignored, in: left)
        json.addArray("ignored") { names in
            for name in fitting { names.element(name) }
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
