@testable import BeemedDomain

/// A delivery with a clock, chance and goals that derail in the order of their names.
struct DeliveryBench {
    let delivery = DeliveryScheduler()
    var chance = Randomness(seed: 1)
    var now = Monotonic(milliseconds: 0)
    var losedates: [String: Int64] = [:]
    private var goals: [SequenceNumber: GoalSlug] = [:]

    init(connected: Bool = true) {
        if connected { delivery.connect() }
    }

    mutating func enqueue(_ numbers: ClosedRange<UInt64>, for goal: String) {
        for number in numbers {
            goals[SequenceNumber(number)] = .known(goal)
            delivery.enqueue(SequenceNumber(number), for: .known(goal))
        }
    }

    mutating func start() -> [UInt64] {
        let losedates = losedates
        return delivery.start(at: now, losedate: { losedates[$0.description] ?? .max })
            .flatMap(\.numbers).map(\.value)
    }

    @discardableResult
    mutating func finish(_ number: UInt64, _ outcome: Outcome, left: Int64? = nil) -> Bool {
        let number = SequenceNumber(number)
        guard let goal = goals[number] else { return false }
        return !delivery.finish(goal, [(number, outcome)], at: now, left: left, &chance).isEmpty
    }

    mutating func pass(seconds: Double) {
        now = now.adding(seconds: seconds)
    }

    /// Seconds until it wants to look again.
    var wait: Double? {
        delivery.nextWake(after: now).map { time in
            Double(max(time.milliseconds, now.milliseconds) - now.milliseconds) / 1_000
        }
    }

    func queue(_ goal: String) -> GoalQueue? { delivery.queues[.known(goal)] }
}
