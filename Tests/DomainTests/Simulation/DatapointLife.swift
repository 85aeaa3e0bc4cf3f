@testable import BeemedDomain

/// The life of one datapoint: what the user wants of it, what the relay does by the rule, and what
/// Beeminder has in the end.
struct DatapointLife {
    /// A part of the rule that is left out, to see that these lives need it.
    enum Fault: CaseIterable, Sendable {
        case neverLooksAgain, believesEachConfirmation, forgetsFormerGoals
    }

    private typealias Content = Placement.Content

    /// A request that Beeminder applies later.
    private struct Late {
        var due: Int64
        var goal: String
        var content: Content?
    }

    private let fault: Fault?
    private var chance: Randomness
    private var now: Int64 = 0
    private var home: String? = "a"
    private var parts: [Double] = [1]
    private var places: [String: Placement] = ["a": .absent]
    private var refused: [String: Content] = [:]
    private var remote: [String: Content] = [:]
    private var late: [Late] = []
    private var hated: Set<Content> = []
    private var wasTouched = false

    private init(_ seed: UInt64, _ fault: Fault?) {
        (chance, self.fault) = (Randomness(seed: seed), fault)
    }

    /// - Returns: what went wrong, in words; nil when all is as it should be.
    static func run(seed: UInt64, without fault: Fault? = nil) -> String? {
        var life = DatapointLife(seed, fault)
        for step in 0..<400 {
            let isCalm = step > 60
            if !isCalm, life.roll(3) { life.meddle() }
            if life.isSaidToBeErased, !life.remote.isEmpty || life.isComing {
                return "it was called erased too early"
            }
            if !life.work(isCalm: isCalm), isCalm, life.late.isEmpty { break }
        }
        return life.end()
    }

    private mutating func roll(_ sides: Int) -> Bool {
        Int.random(in: 0..<sides, using: &chance) == 0
    }

    private var isComing: Bool { late.contains { $0.content != nil } }

    private var isSaidToBeErased: Bool {
        home == nil && places.values.allSatisfy { $0.isFinal(nil) }
    }

    private func want(at goal: String) -> Content? {
        guard goal == home, !parts.isEmpty else { return nil }
        return Content(value: parts.reduce(0, +), comment: "")
    }

    // MARK: The user

    private mutating func meddle() {
        switch Int.random(in: 0..<9, using: &chance) {
        case 0, 1: if home != nil { parts.append(Double.random(in: 1...9, using: &chance)) }
        case 2:
            if !parts.isEmpty { parts.remove(at: Int.random(in: parts.indices, using: &chance)) }
        case 3: if roll(3) { home = nil }
        case 4:
            guard home != nil, let goal = ["a", "b", "c"].randomElement(using: &chance) else {
                return
            }
            home = goal
            refused[goal] = nil
            if places[goal] == nil { places[goal] = .absent }
        case 5: restart()
        case 6: if let home, let content = want(at: home) { hated.insert(content) }
        case 7:
            hated = []
            if let home { refused[home] = nil }
        default:
            guard roll(5) else { return }
            (remote, wasTouched) = ([:], true)
        }
    }

    private mutating func restart() {
        for (goal, place) in places where !place.isFinal(want(at: goal)) {
            places[goal] = .unknown(until: time.adding(seconds: Placement.watchSeconds))
        }
    }

    // MARK: The relay

    private var time: Monotonic { Monotonic(milliseconds: now) }

    /// - Returns: whether there was something to do.
    private mutating func work(isCalm: Bool) -> Bool {
        var again: Monotonic?
        for goal in order {
            let content = want(at: goal)
            if let content, refused[goal] == content { continue }
            let place = places[goal] ?? .absent
            switch place.step(toward: content, at: time) {
            case .rest: continue
            case .request:
                request(content, at: goal, isCalm: isCalm)
                return true
            case .wait(let time): again = Monotonic.soonest(again, time)
            }
        }
        let most = again.map { max(1, $0.milliseconds - now) }
        guard fault != .neverLooksAgain || again == nil else { return false }
        let pause = Int64.random(in: 1_000...30_000, using: &chance)
        advance(by: isCalm ? most ?? pause : min(most ?? pause, pause))
        return again != nil
    }

    /// Other goals first: a move deletes before it sends.
    private var order: [String] {
        let others = places.keys.filter { $0 != home }.sorted()
        return (fault == .forgetsFormerGoals ? [] : others) + (home.map { [$0] } ?? [])
    }

    private mutating func request(_ content: Content?, at goal: String, isCalm: Bool) {
        let sent = time
        let kind = isCalm ? 0 : Int.random(in: 0..<8, using: &chance)
        advance(by: .random(in: 50...3_000, using: &chance))
        let isHated = content.map(hated.contains) ?? false
        switch kind {
        case 0..<4 where isHated: refused[goal] = content
        case 0..<4:
            remote[goal] = content
            confirm(content, at: goal, sent: sent)
        default:
            if kind == 4, !isHated { remote[goal] = content }
            if kind > 5 {
                let delay = Int64.random(in: 0...119_000, using: &chance)
                late.append(Late(due: now + delay, goal: goal, content: content))
            }
            let end = time
            places[goal]?.recordUnanswered(content, at: end)
        }
        if !isCalm, roll(30) { restart() }
    }

    private mutating func confirm(_ content: Content?, at goal: String, sent: Monotonic) {
        let isCredulous = fault == .believesEachConfirmation
        let sent = isCredulous ? Monotonic(milliseconds: .max) : sent
        places[goal]?.confirm(content, sent: sent)
    }

    // MARK: Beeminder

    private mutating func advance(by milliseconds: Int64) {
        now += milliseconds
        for request in late.filter({ $0.due <= now }).sorted(by: { $0.due < $1.due }) {
            remote[request.goal] = request.content
        }
        late.removeAll { $0.due <= now }
    }

    private mutating func end() -> String? {
        advance(by: 240_000)
        let others = remote.filter { $0.key != home }
        guard others.isEmpty else { return "it is at \(others.keys), where it should not be" }
        guard let home else { return nil }
        let content = want(at: home)
        // A refused change is in view, and an earlier content may be there.
        if let content, refused[home] == content { return nil }
        // A datapoint that the user has deleted stays deleted until its content changes.
        if remote[home] == nil, wasTouched { return nil }
        return remote[home] == content ? nil : "it is not at home as it should be"
    }
}
