import BeemedDomain

extension Acceptance {
    /// The greatest size of an answer to a press, in bytes: ESPHome reads an answer into a buffer
    /// of as many.
    static let maxAnswerBytes = 512

    /// The longest notes that are not cut to the room, in bytes: a day, a time, dots for names.
    private static let leastNotes = 140

    /// The answer to the press: one line of JSON.
    ///
    /// - Parameter reading: how the press was read.
    func text(_ reading: PressReading) -> [UInt8] {
        var json = JSONWriter()
        json.append(literal: #"{"ok":true,"id":""#)
        json.append(raw: event.key.id.description)
        json.append(literal: #"","requestid":""#)
        json.append(requestIDOf: event.key)
        json.append(literal: #"","goal":""#)
        json.append(raw: event.goal.description)
        json.append(literal: #"","value":"#)
        json.append(raw: event.value)
        json.append(literal: #","state":""#)
        json.append(raw: state.rawValue)
        json.append(literal: isDuplicate ? #"","duplicate":true,"# : #"","duplicate":false,"#)
        json.add("parsed", plain: reading.form.rawValue)
        addGuard(to: &json, reading)
        let end: StaticString = "}\n"
        let room = Acceptance.maxAnswerBytes - json.count - end.utf8CodeUnitCount
        reading.writeNotes(on: event, to: &json, atMost: room)
        json.append(literal: end)
        return json.bytes
    }

    /// Says which guard keeps the press from being sent, if there is room for that and the notes.
    private func addGuard(to json: inout JSONWriter, _ reading: PressReading) {
        guard let guardedBy else { return }
        var text = JSONWriter(capacity: 96)
        text.add(guardedBy, of: event.preset)
        let notes = reading.mayHaveNotes ? Acceptance.leastNotes : 2
        guard json.count + text.count + notes < Acceptance.maxAnswerBytes else { return }
        json.add(guardedBy, of: event.preset)
    }
}
