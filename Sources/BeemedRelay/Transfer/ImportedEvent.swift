import BeemedDomain
import RelayTrunk

/// One line of an imported file that says a datapoint.
struct ImportedEvent: Sendable {
    /// The number of the line in the file, from 1.
    var line: Int
    /// Its press, with an id that depends on the line's content alone.
    var press: Press
    /// The state that the file tells, if it does.
    var state: EventState?
    /// Whether the file says that Beeminder has it.
    var isDelivered = false
    /// Whether the relay knows it under its own request id.
    var isKnown = false
    /// The Beeminder user to whom the file says that it belongs.
    var user: String?

    /// The name under which imported presses are logged if the file names no request id: the same
    /// in every relay, so that a file that two relays import becomes one datapoint a line.
    static let device = DeviceIdentity(
        name: DeviceName(Device.importer) ?? { preconditionFailure("a name") }(),
        generation: DeviceGeneration("000000"))

    /// A content that equals that of another event.
    struct Content: Hashable, Sendable {
        enum Time: Hashable, Sendable {
            case second(Int64)
            case day(Int64)
        }

        var goal: GoalSlug
        var value: Double
        /// Nil for a datapoint of Beeminder's list, which lacks it.
        var comment: String?
        var time: Time
    }

    /// What it has in common with an event that says the same.
    func content(_ calendar: GoalCalendar) -> Content {
        let time: Content.Time =
            switch (press.time, press.day) {
            case (.recorded(let time?), _): .second(time.seconds)
            case (_, .on(let day)?): .day(day.number)
            default: .second(0)
            }
        return Content(
            goal: calendar.current(press.goal), value: press.value, comment: press.comment,
            time: time)
    }

    /// The contents under which a known event may stand in a file: with its time, or its day only.
    static func contents(of view: EventView, _ calendar: GoalCalendar) -> [Content] {
        let day = view.event.daystamp ?? calendar.day(of: view.goal, at: view.at)
        return [.second(view.at.seconds), .day(day.number)].map {
            Content(
                goal: calendar.current(view.goal), value: view.value,
                comment: view.event.comment, time: $0)
        }
    }
}

/// Why a line of an imported file cannot be taken.
struct ImportFault: Error, Equatable, Sendable {
    /// From 1.
    var line: Int
    /// For the user, with the next step.
    var detail: String
}
