@testable import BeemedDomain

/// A sender of totals of days: it revises them, loses answers and sends again, and some days are
/// undone and sent again. It knows what it was promised.
struct SimulatedDays: Sendable {
    /// The history of one day.
    struct Day: Sendable {
        /// The values that were offered, in order.
        var offered: [Double] = []
        /// The position of the last value that was acknowledged; nil without any.
        var acknowledged: Int?
    }

    private(set) var days: [EventKey: Day] = [:]
    /// Requests without a reply: the day, and the position of the value.
    private var requests: [ReplyID: (key: EventKey, position: Int)] = [:]
    /// Days that somebody wanted undone, or sent again, whatever the answer was.
    private(set) var meddled: Set<EventKey> = []

    static let rules = ["walk", "sleep"]

    /// Something to send: a new value, or now and then the last one again.
    mutating func invent(on day: Daystamp, _ chance: inout Randomness) -> DayTotal {
        let rule = SimulatedDays.rules.randomElement(using: &chance) ?? "walk"
        let goal = rule == "walk" ? "pushups" : "read"
        var total = DayTotal.make(0, rule: rule, goal: goal, day: day)
        let last = days[total.key]?.offered.last
        let isAgain = Int.random(in: 0..<4, using: &chance) == 0
        let value = Double(Int.random(in: 100...10_000, using: &chance))
        total.value = isAgain ? last ?? value : value
        if Int.random(in: 0..<20, using: &chance) == 0 { total.value = ModelBeeminder.poison }
        return total
    }

    /// - Parameter key: that of the day of the connected user.
    mutating func offer(_ value: Double, of key: EventKey, _ replyID: ReplyID) {
        days[key, default: Day()].offered.append(value)
        let position = (days[key]?.offered.count ?? 1) - 1
        requests[replyID] = (key, position)
    }

    /// - Returns: what is wrong with the reply; nil when it is no reply to a total, or all is well.
    mutating func process(_ replyID: ReplyID, _ reply: Reply) -> (isOurs: Bool, wrong: String?) {
        guard let (key, position) = requests.removeValue(forKey: replyID) else {
            return (false, nil)
        }
        switch reply {
        case .total(let answer):
            if case .ignored = answer.state { return (true, nil) }
            guard answer.value == days[key]?.offered[position] else {
                return (true, "\(key) was acknowledged with \(answer.value)")
            }
            let before = days[key]?.acknowledged ?? 0
            days[key]?.acknowledged = max(before, position)
            return (true, nil)
        case .refused(.diskFull), .refused(.tooManyWaiting), .refused(.tooManyUnsent),
            .refused(.tooManyRefused), .refused(.notConnected):
            return (true, nil)
        default: return (true, "a total was answered as something else")
        }
    }

    /// Another user has the folder: nobody was promised anything of a day.
    mutating func beginAnew() {
        for key in days.keys { days[key]?.acknowledged = nil }
        meddled = []
    }

    /// The process has ended: nobody is answered.
    mutating func hangUp() { requests = [:] }

    mutating func meddle(_ key: EventKey) { meddled.insert(key) }

    /// Whether somebody sent that value for that day.
    func isOffered(_ value: Double, of key: EventKey) -> Bool {
        days[key]?.offered.contains(value) ?? false
    }

    /// When all is over: the last value that was acknowledged, or one that was offered later, is
    /// the one that counts, and Beeminder has it once.
    func checkEnd(_ beeminder: ModelBeeminder, _ core: RelayCore) -> [String] {
        days.sorted { $0.key.requestID < $1.key.requestID }.compactMap { key, day in
            check(key, day, beeminder, core)
        }
    }

    private func check(
        _ key: EventKey, _ day: Day, _ beeminder: ModelBeeminder, _ core: RelayCore
    ) -> String? {
        guard let last = day.acknowledged else { return nil }
        guard let view = core.view.event(key) else { return "\(key) was acknowledged and lost" }
        let points = beeminder.datapoints(view.event.requestID, of: core.account.user?.name)
        if meddled.contains(key) {
            return view.state == .undone && !points.isEmpty ? "\(key) is undone and there" : nil
        }
        guard day.offered[last...].contains(view.value) else {
            return "\(key) ends with \(view.value), and \(day.offered[last]) was acknowledged"
        }
        if view.value == ModelBeeminder.poison {
            return view.state == .refused ? nil : "\(key) has a refused value and is \(view.state)"
        }
        guard points.map(\.value) == [view.value] else {
            return "\(key) is \(view.value) here and \(points.map(\.value)) at Beeminder"
        }
        return view.state == .delivered ? nil : "\(key) ends as \(view.state)"
    }
}

extension Simulation {
    /// A total of the present day arrives.
    mutating func reviseDay() {
        let today = Daystamp(number: wall / 86_400)
        let total = days.invent(on: today, &chance)
        lastReplyID += 1
        let replyID = ReplyID(lastReplyID)
        let key = core.totals.key(of: total)
        days.offer(total.value, of: key, replyID)
        beeminder.pardoned.insert(total.key.requestID)
        beeminder.withoutOrder.insert(total.key.requestID)
        apply(.command(.total(total), replyID))
    }

    /// Somebody undoes a day, or wants it sent again.
    mutating func meddleWithDay() {
        let keys = days.days.keys.sorted { $0.requestID < $1.requestID }
        guard let key = keys.randomElement(using: &chance), core.view.event(key) != nil else {
            return
        }
        days.meddle(key)
        promises.want(undone: key)
        let isUndo = core.view.event(key)?.state != .undone
        command(key, isUndo ? .undo(key) : .retry(key, goal: nil))
    }

    /// Something is being sent to Beeminder.
    mutating func check(_ outgoing: OutgoingDatapoint) {
        let event = core.ledger[outgoing.number]?.event
        guard let event, event.rule != nil else { return promises.check(outgoing, of: event) }
        promises.require(
            days.isOffered(outgoing.value, of: event.key),
            "\(event.key) was sent with \(outgoing.value), which nobody offered")
        promises.require(outgoing.daystamp == event.daystamp, "\(event.key) has lost its day")
    }

    mutating func checkEnd() {
        promises.checkEnd(beeminder, core)
        for wrong in days.checkEnd(beeminder, core) { promises.require(false, wrong) }
    }
}
