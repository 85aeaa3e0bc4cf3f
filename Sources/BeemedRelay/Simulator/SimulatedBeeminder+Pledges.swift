/// A charge that the live service would have made.
struct SimulatedCharge: Sendable, Equatable {
    let id: String
    /// US dollars.
    let amount: Double
    let note: String
    let username: String

    /// The four members of the API reference's Charge.
    var json: OrderedJSON {
        [
            "id": .string(id), "amount": .number(amount), "note": .string(note),
            "username": .string(username),
        ]
    }
}

/// Pledges and charges: a leaked token can cost money.
extension SimulatedBeeminder {
    /// The possible pledges, in dollars.
    static let pledgeLadder: [Double] = [0, 5, 10, 30, 90, 270, 810, 2_430]

    /// Reverts the pledges that are due.
    mutating func revertPledges(at now: Double) {
        for user in users.indices {
            for index in users[user].goals.indices {
                let goal = users[user].goals[index]
                guard let moment = goal.stepdownAt, Double(moment) <= now else { continue }
                users[user].goals[index].stepdownAt = nil
                users[user].goals[index].pledge =
                    SimulatedBeeminder.pledgeLadder.last { $0 < goal.pledge } ?? 0
                users[user].goals[index].updatedAt = moment
                users[user].updatedAt = max(users[user].updatedAt, moment)
            }
        }
    }

    /// `POST .../stepdown`. Recorded 2026-01: the pledge reverts at the beginning of the day a week
    /// ahead, and neither `updated_at` nor `queued` changes with that; $5 is refused.
    mutating func scheduleStepdown(_ position: GoalPosition, at now: Double) throws(Refusal) {
        let user = users[position.user]
        let goal = user.goals[position.goal]
        guard goal.pledge > 5 else { throw .stepdownImpossible(dollars: goal.pledge) }
        guard goal.stepdownAt == nil else { return }
        let rule = user.rule(goal)
        let lastDay = rule.day(of: Int(now)).advanced(by: 6)
        users[position.user].goals[position.goal].stepdownAt = rule.lastSecond(of: lastDay) + 1
    }

    /// `POST .../shortcircuit`: charges the pledge and raises it to the next amount (recorded
    /// 2026-01: $0 becomes $5, and the goal is `queued`).
    mutating func shortCircuit(_ position: GoalPosition, at now: Double) {
        let user = users[position.user]
        let goal = user.goals[position.goal]
        if goal.pledge > 0 {
            charges.append(
                SimulatedCharge(
                    id: ids.make(at: Int(now)), amount: goal.pledge,
                    note: "short circuit of \(goal.slug)", username: user.username))
        }
        change(position, at: now) { changed in
            changed.pledge =
                SimulatedBeeminder.pledgeLadder.first { $0 > goal.pledge } ?? goal.pledge
            return true
        }
    }

    /// `POST /charges.json`. It charges the token's user; `user_id` can only name the same user.
    mutating func charge(_ call: SimulatedCall, at now: Double) throws(Refusal) -> OrderedJSON {
        let user = users[try owner(call.text("user_id") ?? "me", call)]
        guard let amount = call.text("amount").flatMap(Double.init(plain:)), amount >= 1 else {
            throw .badCharge
        }
        let charge = SimulatedCharge(
            id: ids.make(at: Int(now)), amount: amount, note: call.text("note") ?? "",
            username: user.username)
        if !call.isOn("dryrun") { charges.append(charge) }
        return charge.json
    }
}
