import BeemedDomain

/// The texts of the answers to presses that are durable, one behind the other. Those of a turn are
/// written together and share one array: an array for each took a thirtieth of a press.
struct AcceptanceTexts: ~Copyable {
    /// What the end of a text says, besides the notes that few presses have.
    private struct Ending {
        let state: EventState
        let isDuplicate: Bool
        let form: PressFields.Form
        /// Where it is.
        var place = 0..<0

        func isSame(as other: Ending) -> Bool {
            state == other.state && isDuplicate == other.isDuplicate && form == other.form
        }
    }

    private var json: JSONWriter
    /// The last press, where its device's part of the request id is, and where its goal and value
    /// are: two presses in succession often have the same.
    private var last: (event: Event, sender: Range<Int>, goal: Range<Int>, value: Range<Int>)?
    /// The last end without notes.
    private var ending: Ending?

    /// - Parameter presses: the number of texts that are likely to be added.
    init(for presses: Int) {
        json = JSONWriter(capacity: 192 * presses)
    }

    /// The greatest size of a text, in bytes: ESPHome reads an answer into a buffer of as many.
    static let mostBytes = 512

    /// All texts.
    var bytes: [UInt8] { json.bytes }

    /// Adds the text for a press.
    ///
    /// - Parameter reading: how the press was read.
    /// - Returns: the end of the text.
    @discardableResult
    mutating func add(_ acceptance: Acceptance, _ reading: PressReading) -> Int {
        // In pieces, since names need no escaping: a call for each member takes half as long again.
        let event = acceptance.event
        let start = json.count
        json.append(literal: #"{"ok":true,"id":""#)
        let id = json.count
        json.append(idOf: event)
        let endOfID = json.count
        json.append(literal: #"","requestid":""#)
        let sender = addSender(event)
        json.append(again: id..<endOfID)
        let goal = addGoal(event)
        let value = addValue(event)
        last = (event, sender, goal, value)
        addEnding(acceptance, reading, from: start)
        return json.count
    }

    private mutating func addSender(_ event: Event) -> Range<Int> {
        let start = json.count
        if let last, event.hasSameDevice(as: last.event) {
            json.append(again: last.sender)
        } else {
            json.append(senderOf: event)
        }
        return start..<json.count
    }

    private mutating func addGoal(_ event: Event) -> Range<Int> {
        let start = json.count
        if let last, event.hasSameGoal(as: last.event) {
            json.append(again: last.goal)
        } else {
            json.append(literal: #"","goal":""#)
            json.append(raw: event.goal.description)
            json.append(literal: #"","value":"#)
        }
        return start..<json.count
    }

    private mutating func addValue(_ event: Event) -> Range<Int> {
        let start = json.count
        if let last, event.hasSameValue(as: last.event) {
            json.append(again: last.value)
        } else {
            json.append(raw: event.value)
        }
        return start..<json.count
    }

    /// The longest notes that are not cut to the room, in bytes: a day, a time, dots for names.
    private static let leastNotes = 140

    /// Says which guard keeps the press from being sent, if there is room for that and the notes.
    private mutating func addGuard(
        of acceptance: Acceptance, _ reading: PressReading, from beginning: Int
    ) {
        guard let guardian = acceptance.guardedBy else { return }
        var text = JSONWriter(capacity: 96)
        text.add(guardian, of: acceptance.event.preset)
        let notes = reading.mayHaveNotes ? AcceptanceTexts.leastNotes : 2
        guard json.count - beginning + text.count + notes < AcceptanceTexts.mostBytes else {
            return
        }
        json.add(guardian, of: acceptance.event.preset)
    }

    /// - Parameter beginning: where the text begins.
    private mutating func addEnding(
        _ acceptance: Acceptance, _ reading: PressReading, from beginning: Int
    ) {
        var ending = Ending(
            state: acceptance.state, isDuplicate: acceptance.isDuplicate, form: reading.form)
        let isPlain = !reading.mayHaveNotes && acceptance.guardedBy == nil
        if isPlain, let last = self.ending, ending.isSame(as: last) {
            return json.append(again: last.place)
        }
        let start = json.count
        json.append(literal: #","state":""#)
        json.append(raw: ending.state.rawValue)
        json.append(literal: #"","duplicate":"#)
        json.append(literal: ending.isDuplicate ? "true," : "false,")
        json.add("parsed", plain: ending.form.rawValue)
        let end: StaticString = "}\n"
        addGuard(of: acceptance, reading, from: beginning)
        let room = AcceptanceTexts.mostBytes - (json.count - beginning) - end.utf8CodeUnitCount
        reading.writeNotes(on: acceptance.event, to: &json, atMost: room)
        json.append(literal: end)
        guard isPlain else { return }
        ending.place = start..<json.count
        self.ending = ending
    }
}
