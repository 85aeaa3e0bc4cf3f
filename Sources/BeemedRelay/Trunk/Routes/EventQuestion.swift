import BeemedDomain
import RelayHTTP

/// The query of `GET /events`.
struct EventQuestion {
    var filter = RelayCore.Filter()
    private(set) var before: SequenceNumber?
    private(set) var limit = 50

    /// The parameters.
    static let names = ["state", "goal", "device", "since", "until", "q", "limit", "before"]

    /// Reads the query.
    ///
    /// - Throws: `Problem` for an invalid value.
    init(query: String?) throws(Problem) {
        for (name, value) in FormDecoder.pairs(query ?? "") {
            switch name {
            case "state": filter.states = try EventQuestion.states(value)
            case "goal":
                guard let goal = GoalSlug(value) else { throw .malformed("'goal' must be a goal") }
                filter.goal = goal
            case "device":
                guard let device = DeviceName(value) else {
                    throw .malformed("'device' must be a device's name; GET /devices lists them")
                }
                filter.device = device
            case "since": filter.since = try EventQuestion.time(name, value)
            case "until": filter.until = try EventQuestion.time(name, value)
            case "q": filter.text = try EventQuestion.text(value)
            case "limit":
                guard let limit = Int(value), (1...500).contains(limit) else {
                    throw .malformed("'limit' must be from 1 to 500")
                }
                self.limit = limit
            case "before":
                guard let number = UInt64(value), number > 0 else {
                    throw .malformed("'before' must be the 'next' of the page before")
                }
                before = SequenceNumber(number)
            default: break  // The token.
            }
        }
    }

    private static func states(_ value: String) throws(Problem) -> Set<EventState> {
        var states: Set<EventState> = []
        for word in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let state = EventState(rawValue: String(word)) else {
                let all = EventState.allCases.map(\.rawValue).joined(separator: ", ")
                throw .malformed("unknown state '\(word.prefix(40))'; use \(all)")
            }
            states.insert(state)
        }
        return states
    }

    private static func time(_ name: String, _ value: String) throws(Problem) -> UnixTime {
        guard let seconds = Int64(value), (0..<1 << 50).contains(seconds) else {
            throw .malformed("'\(name)' must be Unix seconds, as in 1760000000")
        }
        return UnixTime(seconds)
    }

    private static func text(_ value: String) throws(Problem) -> RelayCore.SoughtText {
        guard let text = RelayCore.SoughtText(value) else {
            throw .malformed(
                "'q' must be a text of 1 to \(RelayCore.SoughtText.maxCharacters) characters, of "
                    + "a comment, a goal or an id")
        }
        return text
    }
}
