import BeemedDomain

/// How a press was read: what its answer tells beside what became of it.
struct PressReading: Sendable {
    var form: PressFields.Form
    /// Names that meant nothing.
    var ignored: [String] = []
    /// The time that the device said.
    var time = PressTime.now
    /// The id that the device gave.
    var id: EventID?

    /// Of something that is no press.
    static let none = PressReading(form: .empty)

    /// Of a press that was made of those fields.
    init(_ fields: PressFields, _ press: Press) {
        self.init(form: fields.form)
        (ignored, time, id) = (fields.ignored, press.time, press.id)
    }

    private init(form: PressFields.Form) {
        self.form = form
    }

    /// Writes what was not taken as it was sent: names without a meaning, and a time that was
    /// replaced.
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
    /// For people: why the time of receipt stands in place of the device's.
    var words: String {
        switch self {
        case .ahead: "the timestamp is in the future; it counts as now"
        case .unset: "the timestamp is before 2024, as of a clock never set; it counts as now"
        case .old: "the timestamp is older than 35 days; it counts as now"
        }
    }
}
