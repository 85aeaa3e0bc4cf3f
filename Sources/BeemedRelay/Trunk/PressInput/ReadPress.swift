import BeemedDomain

/// A press as it was read from a request, and how, which is a part of its answer. An object: the
/// answer has it, and perhaps the next request on the connection.
package final class ReadPress: Sendable {
    let press: Press
    let form: PressFields.Form
    private let ignored: [String]
    private let hasDay: Bool
    /// Whether plain text had more than a number: what followed is the comment, such as a unit.
    private let hasComment: Bool

    /// A press that was created from those fields.
    init(_ press: Press, _ fields: PressFields) {
        (self.press, form, ignored) = (press, fields.form, fields.ignored)
        hasDay = fields.filled(.day) != nil
        hasComment = fields.form == .text && fields[.comment]?.isEmpty == false
    }

    /// Writes what the device should see of the stored press: its day if it named one, which a
    /// number before the value does as well; a time that was replaced; the guard that keeps it from
    /// being sent; unknown names; and the comment that stood behind a number.
    ///
    /// - Parameters:
    ///   - most: the bytes that the output may have. Without room a comment is cut or left out,
    ///     and dots stand for unknown names.
    ///   - withoutComment: whether to leave out the comment, which the caller writes.
    func writeNotes(
        on event: Event, guardedBy: PresetGuard?, to json: inout JSONWriter,
        atMost most: Int = .max, withoutComment: Bool = false
    ) {
        if hasDay, let day = event.daystamp { json.add("daystamp", day.description) }
        if let replacement = TimeRules.replacement(of: press.time, in: event) {
            json.add("time", literal: "receipt")
            json.add("timeNote", replacement.words)
        }
        if let guardedBy { json.add(atMost: most) { $0.add(guardedBy, of: event.preset) } }
        if !ignored.isEmpty,
            !json.add(atMost: most, { $0.addArray("ignored", of: ignored) })
        {
            json.addArray("ignored", of: ["..."])
        }
        if hasComment, !withoutComment {
            json.addBeginning(of: event.comment, atMost: most)
        }
    }
}

extension JSONWriter {
    /// Adds a comment, or as much of it as there is room for; nothing of an empty one.
    mutating func addBeginning(of comment: String, atMost most: Int) {
        for length in [comment.utf8.count, 100, 20] where length > 0 {
            if add(atMost: most, { $0.add("comment", comment.cut(to: length)) }) { return }
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
