import BeemedDomain

/// How a press was read; part of its answer.
struct PressReading: Sendable {
    var form: PressFields.Form
    /// Unknown names.
    var ignored: [String] = []
    /// The time that the device sent.
    var time = PressTime.now
    /// The id that the device sent.
    var id: EventID?

    /// For anything but a press.
    static let none = PressReading(form: .empty)

    /// For a press that was created from those fields.
    init(_ fields: PressFields, _ press: Press) {
        self.init(form: fields.form)
        (ignored, time, id) = (fields.ignored, press.time, press.id)
    }

    private init(form: PressFields.Form) {
        self.form = form
    }

    /// Writes the differences between the sent and the stored press: unknown names, and a time that
    /// was replaced.
    func writeNotes(on event: Event, to json: inout JSONWriter) {
        if let replacement = TimeRules.replacement(of: time, in: event) {
            json.add("time", literal: "receipt")
            json.add("timeNote", replacement.words)
        }
        guard !ignored.isEmpty else { return }
        json.addArray("ignored") { names in
            for name in ignored { names.element(name) }
        }
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
