import BeemedDomain
import RelayTrunk

/// A line of an imported file that states a datapoint.
struct ImportRow: Sendable {
    /// The number of the line in the file, from 1.
    var line: Int
    /// Its press, with an id that depends on the line's content alone.
    var press: Press
    /// The state that the file tells, if it does.
    var state: EventState?
    /// The Beeminder user to whom the file says that it belongs.
    var user: String?
    /// Why a correct row is not taken, as a word of the API.
    var reason: String?
    /// The request id of the known datapoint that says the same; empty if that has none.
    var twin = ""
    /// The fault of the line, for the user.
    var fault: String?

    var key: EventKey? { press.id.map(press.key) }

    /// Its time, its day, or both, as a part of a text that tells it from others.
    fileprivate var times: [String] {
        var times: [String] = []
        if case .recorded(let time?) = press.time { times.append("t\(time.seconds)") }
        if case .on(let day)? = press.day { times.append("d\(day)") }
        return times
    }

    /// Gives a line without a request id one that depends on its content, and on the number of
    /// equal lines before: the same file is known when it comes again, and two equal lines of one
    /// file are two datapoints.
    mutating func identify(counting seen: inout [String: Int]) {
        guard press.id == nil else { return }
        let text = "\(press.goal)\n\(press.value)\n\(times.joined())\n\(press.comment)"
        let count = seen[text, default: 0]
        seen[text] = count + 1
        let digest = SHA256Digest.of(Array("\(text)\n\(count)".utf8)).prefix(16)
        (press.device, press.generation) = (Device.importer.name, Device.importer.generation)
        press.id = EventID(SHA256Digest.hex(digest))
    }
}

/// The rows for which no known datapoint stands yet.
struct ImportMatches {
    private let calendar: GoalCalendar
    /// Their indices by what they say.
    private var rows: [String: [(index: Int, comment: String)]] = [:]

    init(_ list: [ImportRow], _ calendar: GoalCalendar, where isMeant: (ImportRow) -> Bool) {
        self.calendar = calendar
        for (index, row) in list.enumerated() where isMeant(row) {
            let content = content(row.press.goal, row.press.value, row.times.first ?? "")
            rows[content, default: []].append((index, row.press.comment))
        }
    }

    /// The key that a row and a datapoint of the same content have in common, but for the comment.
    private func content(_ goal: GoalSlug, _ value: Double, _ time: String) -> String {
        "\(calendar.current(goal)) \(value) \(time)"
    }

    var isEmpty: Bool { rows.isEmpty }

    /// Takes out the first row that says the same as a datapoint, and returns its index.
    ///
    /// - Parameter comment: nil where it is unknown.
    mutating func take(
        _ goal: GoalSlug, _ value: Double, _ comment: String?, at time: UnixTime,
        on day: Daystamp? = nil
    ) -> Int? {
        for time in ["t\(time.seconds)", "d\(day ?? calendar.day(of: goal, at: time))"] {
            let content = content(goal, value, time)
            let index = rows[content]?.firstIndex { comment == nil || $0.comment == comment }
            guard let index, let row = rows[content]?.remove(at: index) else { continue }
            if rows[content]?.isEmpty ?? false { rows[content] = nil }
            return row.index
        }
        return nil
    }
}
