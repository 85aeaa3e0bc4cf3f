import BeemedDomain

/// The texts of the answers to presses that are durable, one behind the other. Those of a turn are
/// written together and share one array: an array for each took a thirtieth of a press.
struct AcceptanceTexts: ~Copyable {
    /// What the end of a text says, besides the notes that few presses have.
    private struct Ending {
        let acceptance: Acceptance
        let form: PressFields.Form

        func isSame(as other: Ending) -> Bool {
            form == other.form && acceptance.state == other.acceptance.state
                && acceptance.isDuplicate == other.acceptance.isDuplicate
                && acceptance.event.hasSameAmount(as: other.acceptance.event)
        }
    }

    private var json: JSONWriter
    /// The last end without notes, and where it is: two presses in succession often have the same.
    private var last: (ending: Ending, place: Range<Int>)?
    /// The last press, and where its device's part of the request id is.
    private var sender: (event: Event, place: Range<Int>)?

    /// - Parameter presses: the number of texts that are likely to be added.
    init(for presses: Int) {
        json = JSONWriter(capacity: 192 * presses)
    }

    /// All texts.
    var bytes: [UInt8] { json.bytes }

    /// Adds the text for a press.
    ///
    /// - Parameter reading: how the press was read.
    /// - Returns: the end of the text.
    @discardableResult
    mutating func add(_ acceptance: Acceptance, _ reading: PressReading) -> Int {
        // In pieces, since names need no escaping: a call for each member takes half as long again.
        json.append(literal: #"{"ok":true,"id":""#)
        let id = json.count
        json.append(idOf: acceptance.event)
        let endOfID = json.count
        json.append(literal: #"","requestid":""#)
        addSender(acceptance.event)
        json.append(again: id..<endOfID)
        let ending = Ending(acceptance: acceptance, form: reading.form)
        if !reading.mayHaveNotes, let last, ending.isSame(as: last.ending) {
            json.append(again: last.place)
        } else {
            add(ending, reading)
        }
        return json.count
    }

    private mutating func addSender(_ event: Event) {
        let start = json.count
        if let sender, event.hasSameDevice(as: sender.event) {
            json.append(again: sender.place)
        } else {
            json.append(senderOf: event)
        }
        sender = (event, start..<json.count)
    }

    private mutating func add(_ ending: Ending, _ reading: PressReading) {
        let start = json.count
        json.append(literal: #"","goal":""#)
        json.append(raw: ending.acceptance.event.goal.description)
        json.append(literal: #"","value":"#)
        json.append(raw: ending.acceptance.event.value)
        json.append(literal: #","state":""#)
        json.append(raw: ending.acceptance.state.rawValue)
        json.append(literal: #"","duplicate":"#)
        json.append(literal: ending.acceptance.isDuplicate ? "true," : "false,")
        json.add("parsed", plain: ending.form.rawValue)
        reading.writeNotes(on: ending.acceptance.event, to: &json)
        json.append(literal: "}\n")
        if !reading.mayHaveNotes { last = (ending, start..<json.count) }
    }
}
