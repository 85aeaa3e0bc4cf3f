@testable import BeemedDomain

/// A device: it presses, loses answers, sends again, and sometimes uses a name twice.
struct SimulatedDevice: Sendable {
    /// A press that the device sends until the relay has told the outcome.
    struct Attempt: Sendable {
        var press: Press
        var madeAt: Monotonic
    }

    let name: String
    /// Nil for one that was added before there were generations.
    private var generation: DeviceGeneration?
    private var used: [Press] = []
    private var count = 0
    /// The press that it has not been told about.
    private(set) var current: Attempt?
    /// The request that it waits for.
    var replyID: ReplyID?

    init(_ name: String) {
        self.name = name
    }

    /// Another button is added under the name of this one, and counts from one again.
    mutating func replace(_ chance: inout Randomness) {
        self = SimulatedDevice(name)
        generation = .random(using: &chance)
    }

    /// The press that the device sends now: a new one, or the same again.
    mutating func send(
        at now: Moment, steady: Monotonic, _ chance: inout Randomness, onlyAgain: Bool
    ) -> Press? {
        if let current { return again(current, steady) }
        if onlyAgain { return nil }
        let press = invent(at: now, &chance)
        // Without a name it cannot be sent again.
        if press.id != nil { current = Attempt(press: press, madeAt: steady) }
        return press
    }

    private func again(_ attempt: Attempt, _ steady: Monotonic) -> Press {
        var press = attempt.press
        if case .age(let age) = press.time {
            let passed = (steady.milliseconds - attempt.madeAt.milliseconds) / 1_000
            press.time = .age(seconds: age + passed)
        }
        return press
    }

    private mutating func invent(at now: Moment, _ chance: inout Randomness) -> Press {
        if let old = used.randomElement(using: &chance), Int.random(in: 0..<5, using: &chance) == 0
        {
            // The same once more, or the name of one for another.
            var press = old
            if Bool.random(using: &chance) { press.value += 100 }
            return press
        }
        count += 1
        let values: [Double] = [
            1, 2, 0.25, -3, ModelBeeminder.poison, ModelBeeminder.filtered,
            ModelBeeminder.disliked,
        ]
        let value = values.randomElement(using: &chance) ?? 1
        let goals = ["water", "pushups", "read", "water", "pushups", "read", "late"]
        let goal = goals.randomElement(using: &chance) ?? "water"
        var press = Press.make(
            "\(name)-\(count)", device: name, goal: goal, value: value,
            comment: Bool.random(using: &chance) ? "" : "c\(count)")
        press.generation = generation
        switch Int.random(in: 0..<6, using: &chance) {
        case 0: press.time = .timestamp(now.wall.adding(.random(in: -90_000...300, using: &chance)))
        case 1: press.time = .age(seconds: .random(in: 0...9_000, using: &chance))
        case 2: press.time = .timestamp(UnixTime(1_000))
        default: break
        }
        if Int.random(in: 0..<8, using: &chance) == 0 { press.id = nil }
        return press
    }

    /// It is told what became of its press.
    mutating func process(isFinal: Bool) {
        replyID = nil
        guard isFinal else { return }
        if let press = current?.press { used.append(press) }
        current = nil
    }
}
