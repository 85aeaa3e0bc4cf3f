@testable import BeemedDomain

/// A life of a machine whose clock is wrong at a boot, or set right or wrong while the relay runs,
/// with processes that are killed between any two steps and a Beeminder that tells the time when it
/// can be reached.
///
/// Whatever is sent bears the time at which it was pressed. Only of what was pressed in an earlier
/// boot, when nobody had told the time, that cannot be known.
struct ClockSimulation {
    /// A press as it really was.
    private struct Pressed {
        var time: Int64
        var boot: Int
        /// Nobody had told the time yet, and the clock was wrong, or in doubt.
        var isBlind: Bool
    }

    private var bench: CoreBench
    private let disk = SimulatedDisk()
    private var chance: Randomness
    /// The right time.
    private var truth: Int64 = 1_760_000_000
    /// How far the relay's clock is ahead of that.
    private var error: Int64 = 0
    private var boots = 0
    private var hasHeard = false
    private var hasLied = false
    private var pressed: [String: Pressed] = [:]
    private var tickets: [UInt64: String] = [:]
    private var accepted: Set<String> = []
    private var delivered: Set<String> = []
    private var flights: [DatapointBatch] = []
    private var violations: [String] = []

    private init(seed: UInt64) throws {
        chance = Randomness(seed: seed)
        bench = try CoreBench(disk: disk, asksUpstreamTime: true)
        try boot()
    }

    /// - Returns: what went wrong, in words.
    static func run(seed: UInt64) throws -> [String] {
        var life = try ClockSimulation(seed: seed)
        for _ in 0..<150 {
            try life.step()
            if !life.violations.isEmpty { return life.violations }
        }
        try life.drain()
        return life.violations
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<35: press()
        case 35..<55: try bench.commit()
        case 55..<68: pass(Int64.random(in: 1...900, using: &chance))
        case 68..<78: ask()
        case 78..<88: requestEnded(isGood: isReached())
        case 88..<92: setClock()
        case 92..<97: try start()
        default: try boot()
        }
        collect()
    }

    private mutating func isReached() -> Bool { Int.random(in: 0..<3, using: &chance) > 0 }

    // MARK: The machine

    /// A new boot: without a battery the clock goes on where it stood, or begins in 1970.
    private mutating func boot() throws {
        boots += 1
        truth += Int64.random(in: 30...200_000, using: &chance)
        error = wrongness()
        bench.now.monotonic = Monotonic(milliseconds: Int64.random(in: 0...60_000, using: &chance))
        try start()
    }

    private mutating func wrongness() -> Int64 {
        switch Int.random(in: 0..<6, using: &chance) {
        case 0, 1: 0
        case 2: Int64.random(in: -100...100, using: &chance)
        case 3: -Int64.random(in: 300...200_000, using: &chance)
        case 4: Int64.random(in: 300...3_000_000, using: &chance)
        default: -truth
        }
    }

    private mutating func start() throws {
        disk.kill()
        let monotonic = bench.now.monotonic
        (tickets, flights, hasHeard, hasLied) = ([:], [], false, false)
        bench = try CoreBench(
            disk: disk, now: Moment(wall: UnixTime(truth + error), monotonic: monotonic),
            asksUpstreamTime: true, boot: "b\(boots)")
    }

    private mutating func pass(_ seconds: Int64) {
        truth += seconds
        bench.pass(seconds: Double(seconds))
    }

    /// Somebody, or NTP, sets the clock.
    private mutating func setClock() {
        error = wrongness()
        hasHeard = false
        bench.now.wall = UnixTime(truth + error)
        bench.apply(.woke)
    }

    // MARK: Devices

    private mutating func press() {
        let id = "\(pressed.count)"
        let (time, said) = pressTime()
        let isWrong = said == .timestamp(UnixTime(truth + 86_400))
        let isBlind = !hasHeard && (abs(error) > 100 || !bench.core.view.isClockSound || isWrong)
        pressed[id] = Pressed(time: time, boot: boots, isBlind: isBlind)
        tickets[bench.press(.make(id, time: said))] = id
    }

    /// When it was, and how the device says so.
    private mutating func pressTime() -> (Int64, PressTime) {
        let ago = Int64.random(in: 0...3_600, using: &chance)
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: return (truth - ago, .age(seconds: ago))
        case 1: return (truth - ago, .timestamp(UnixTime(truth - ago)))
        // A device whose own clock is a day ahead means now.
        case 2: return (truth, .timestamp(UnixTime(truth + 86_400)))
        default: return (truth, .now)
        }
    }

    private mutating func collect() {
        for (replyID, reply) in bench.replies {
            guard let id = tickets[replyID] else { continue }
            if case .accepted = reply { accepted.insert(id) }
        }
        bench.replies = [:]
        flights += bench.batches
        for outgoing in bench.sent { check(outgoing) }
        bench.batches = []
        bench.sent = []
    }

    private mutating func check(_ outgoing: OutgoingDatapoint) {
        guard let id = bench.core.ledger[outgoing.number]?.event.key.id.description,
            let press = pressed[id]
        else { return violations.append("\(outgoing) is of no press") }
        if press.isBlind, press.boot < boots, outgoing.at.seconds <= truth + 900 { return }
        let error = outgoing.at.seconds - press.time
        if abs(error) > 2 * ClockTrust.toleranceSeconds {
            let event = bench.core.ledger[outgoing.number]?.event
            violations.append(
                "\(id) is sent with a time that is \(error) s off, in boot \(boots): \(press), "
                    + "\(event.map { "\($0.timeSource) \($0.arrival.isClockUnset) \($0.arrival)" } ?? "")"
            )
        }
    }

    // MARK: Beeminder

    private mutating func ask() {
        if isReached() { return process() }
        bench.apply(.fetched(.unreachable("down", isTimeout: false)))
    }

    private mutating func process() {
        processTime()
        bench.learn()
    }

    /// An answer gives the time; one in a process may give a wrong one.
    private mutating func processTime() {
        let isLie = !hasLied && Int.random(in: 0..<6, using: &chance) == 0
        hasLied = hasLied || isLie
        let told = truth + (isLie ? 300_000 : 0)
        bench.apply(.receivedTime(UpstreamTime(UnixTime(told), at: bench.now.monotonic)))
        hasHeard = !isLie && !bench.core.clock.isContested
    }

    private mutating func requestEnded(isGood: Bool) {
        collect()
        guard !flights.isEmpty else { return }
        let batch = flights.removeFirst()
        // Its answer tells the time, too.
        if isGood {
            processTime()
        }
        for outgoing in batch.datapoints where isGood {
            if let id = bench.core.ledger[outgoing.number]?.event.key.id.description {
                delivered.insert(id)
            }
        }
        let outcome: Outcome =
            isGood ? .delivered(.created, datapoint: nil) : .unreachable("down")
        bench.apply(.delivered(batch, .whole(outcome)))
    }

    private mutating func drain() throws {
        for _ in 0..<300 where violations.isEmpty {
            process()
            try bench.commit()
            requestEnded(isGood: true)
            pass(100)
            collect()
            if bench.core.view.pendingEvents == 0, bench.appended.isEmpty { break }
        }
        let missing = accepted.subtracting(delivered).sorted()
        if violations.isEmpty, !missing.isEmpty {
            violations.append("\(missing.count) presses wait in a quiet world, as \(missing[0])")
        }
    }
}
