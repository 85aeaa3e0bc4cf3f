@testable import BeemedDomain

extension DayTotal {
    /// A total in which only what a test names matters.
    static func make(
        _ value: Double, rule: String = "walk", goal: String = "pushups",
        day: Daystamp = Daystamp(number: 20_370), hasFloor: Bool = false
    ) -> DayTotal {
        DayTotal(rule: .known(rule), goal: .known(goal), day: day, value: value, hasFloor: hasFloor)
    }
}

extension RuleName {
    static func known(_ text: String) -> RuleName {
        guard let name = RuleName(text) else { preconditionFailure("no rule: \(text)") }
        return name
    }
}

extension CoreBench {
    /// 2025-10-09, the day on which a bench begins.
    static let today = Daystamp(number: 20_370)

    /// A bench whose first total, of 100, is delivered.
    static func delivered() throws -> CoreBench {
        var bench = try CoreBench()
        try bench.record(100)
        try bench.commit { $0.deliver(1, Outcome.created) }
        return bench
    }

    /// The same, and Beeminder has refused the next value, of 120.
    static func refused() throws -> CoreBench {
        var bench = try delivered()
        try bench.record(120)
        bench.pass(seconds: 61)
        try bench.commit { $0.deliver(1, Outcome.faulty) }
        return bench
    }

    @discardableResult
    mutating func total(_ total: DayTotal) -> UInt64 {
        command(.total(total))
    }

    /// A total of the bench's first day, durable.
    @discardableResult
    mutating func record(_ value: Double) throws -> UInt64 {
        let replyID = total(.make(value))
        try commit()
        return replyID
    }

    /// The word of the reply to a total; nil while it waits for its record.
    mutating func said(_ total: DayTotal) -> String? {
        let replyID = self.total(total)
        return word(replyID)
    }

    /// The same of a total of the first day that has become durable.
    mutating func said(note value: Double) throws -> String? {
        let replyID = try record(value)
        return word(replyID)
    }

    @discardableResult
    mutating func undo(_ total: DayTotal) -> UInt64 { command(.undo(total.key)) }

    @discardableResult
    mutating func retry(_ total: DayTotal, to goal: String? = nil) -> UInt64 {
        command(.retry(total.key, goal: goal.map(GoalSlug.known)))
    }

    /// The word of the reply to a total; nil while there is none, or for a refusal.
    func word(_ replyID: UInt64) -> String? {
        guard case .total(let answer)? = replies[replyID] else { return nil }
        guard case .ignored(let why) = answer.state else { return answer.state.word }
        return why.rawValue
    }

    func view(_ total: DayTotal) -> EventView? { core.view.event(total.key) }
}
