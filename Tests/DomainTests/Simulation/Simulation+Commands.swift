@testable import BeemedDomain

/// People who change their minds.
extension Simulation {
    /// Somebody takes back what was accepted, or what never was.
    mutating func takeBack() {
        let keys = promises.accepted.keys.sorted { $0.requestID < $1.requestID }
        guard let key = keys.randomElement(using: &chance) else { return }
        promises.want(undone: key)
        beeminder.withoutOrder.insert(key.requestID)
        command(key, .undo(key))
    }

    /// Somebody wants a refused event sent again.
    mutating func retryRefused() {
        let refused = promises.accepted.values.filter { core.view.event($0.key)?.state == .refused }
            .map(\.key).sorted { $0.requestID < $1.requestID }
        guard let key = refused.randomElement(using: &chance) else { return }
        command(key, .retry(key, goal: nil))
    }

    /// Somebody wants what waits, or was refused, sent to another goal.
    mutating func moveElsewhere() {
        let states: Set<EventState> = [.refused, .held, .queued]
        let keys = promises.accepted.keys.filter { key in
            core.view.event(key).map { states.contains($0.state) } ?? false
        }.sorted { $0.requestID < $1.requestID }
        guard let key = keys.randomElement(using: &chance),
            let goal = ["water", "pushups", "read"].randomElement(using: &chance)
        else { return }
        let left = core.view.event(key)?.goal
        let isGone = left.map { core.goals.isKnown && !core.goals.holds($0) } ?? false
        promises.want(key, at: goal, leaving: isGone ? left?.description : nil)
        beeminder.withoutOrder.insert(key.requestID)
        beeminder.pardoned.insert(key.requestID)
        command(key, .retry(key, goal: .known(goal)))
    }

    mutating func command(_ key: EventKey, _ command: Command) {
        lastReplyID += 1
        let replyID = ReplyID(lastReplyID)
        commands[replyID] = key
        apply(.command(command, replyID))
    }

    /// A command is answered.
    mutating func answer(_ key: EventKey, command reply: Reply) {
        switch reply {
        // A day that was undone may be sent again.
        case .changed where days.days[key] != nil: break
        case .changed(let view): promises.tell(view)
        case .refused(.diskFull), .refused(.tooManyWaiting), .refused(.tooManyUnsent),
            .refused(.tooManyRefused), .refused(.notPossible), .refused(.dayTaken),
            .refused(.unknownGoal):
            break
        case .refused(.unknownEvent): promises.require(false, "an accepted event is not known")
        case .accepted, .refused(.conflict), .refused(.notConnected), .refused(.unusableTime),
            .refused(.timeAsValue), .refused(.needsValue), .usable, .total:
            promises.require(false, "a command was answered as a press")
        }
    }
}

extension Simulation.Flight {
    /// The goal that it is for.
    var goal: GoalSlug? {
        switch self {
        case .datapoint(let batch, _), .result(let batch, _): batch.goal
        case .deletion(let deletion, _): deletion.goal
        case .goals: nil
        }
    }
}
