import BeemedDomain

extension Acceptance {
    /// The greatest size of an answer to a press, in bytes: ESPHome reads an answer into a buffer
    /// of as many.
    static let mostAnswerBytes = 512

    /// The longest notes that are not cut to the room, in bytes: a day, a time, dots for names.
    private static let leastNotes = 140

    /// The answer to the press, as JSON.
    ///
    /// - Parameter reading: how the press was read.
    func text(_ reading: PressReading) -> [UInt8] {
        JSONWriter.object { json in
            json.add("ok", true)
            json.add("id", plain: event.key.id.description)
            json.add("requestid", plain: event.key.requestID)
            json.add("goal", plain: event.goal.description)
            json.add("value", event.value)
            json.add("state", plain: state.rawValue)
            json.add("duplicate", isDuplicate)
            json.add("parsed", plain: reading.form.rawValue)
            addGuard(to: &json, reading)
            // What follows is the end of the object and of the line.
            let room = Acceptance.mostAnswerBytes - json.count - 2
            reading.writeNotes(on: event, to: &json, atMost: room)
        }
    }

    /// Says which guard keeps the press from being sent, if there is room for that and the notes.
    private func addGuard(to json: inout JSONWriter, _ reading: PressReading) {
        guard let guardedBy else { return }
        var text = JSONWriter(capacity: 96)
        text.add(guardedBy, of: event.preset)
        let notes = reading.mayHaveNotes ? Acceptance.leastNotes : 2
        guard json.count + text.count + notes < Acceptance.mostAnswerBytes else { return }
        json.add(guardedBy, of: event.preset)
    }
}
