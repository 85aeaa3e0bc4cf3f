import BeemedDomain
import RelayHTTP
import RelayTrunk

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A body of health data whose days cannot be known yet: the user's time zone was never told, or it
/// names no day and the clock was not compared with Beeminder's. It is kept as it came, and read
/// when that is known: a day that is guessed may replace a finished one.
struct HeldBody: Codable, Sendable {
    /// The body.
    var bytes: Data
    /// How Health Auto Export has summarised, as its head says.
    var summary: String?
    /// The sender.
    var device: String
    var generation: String?
    /// The goals that it may log to; nil for all.
    var goals: Set<String>?
    /// When it came, by the clocks of that boot.
    var wall: Int64
    var monotonic: Int64
    var boot: String

    /// When it came, by a clock that is right now.
    ///
    /// - Parameter boot: names this boot of the machine. What came in an earlier one has the time
    ///   of the clock that there was.
    func received(at now: Moment, boot: String) -> UnixTime {
        guard boot == self.boot else { return UnixTime(min(wall, now.wall.seconds)) }
        return now.wall.adding(-max(0, now.monotonic.milliseconds - monotonic) / 1_000)
    }
}

/// The held bodies of a data folder, one file each beside the samples, so that what is done with
/// these is done with them. Used by one thread at a time.
struct HeldBodyStore: Sendable {
    private let folder: String
    private let files: any SettingsStorage

    init(dataFolder: String, files: any SettingsStorage) {
        folder = "\(dataFolder)/health"
        self.files = files
    }

    /// Their numbers, in the order in which they came.
    var numbers: [Int] {
        files.names(in: folder).compactMap { name in
            name.hasPrefix(HeldBodyStore.prefix) && name.hasSuffix(".json")
                ? Int(name.dropFirst(HeldBodyStore.prefix.count).dropLast(5)) : nil
        }.sorted()
    }

    /// No rule's file has such a name: behind a rule stands a day.
    private static let prefix = "held.body-"

    private func path(_ number: Int) -> String {
        "\(folder)/\(HeldBodyStore.prefix)\(number).json"
    }

    /// Saves a body; it is durable when this returns.
    func save(_ body: HeldBody, as number: Int) throws(DiskError) {
        guard let data = try? JSONEncoder().encode(body) else { return }
        try files.write(Array(data), to: path(number), in: folder)
    }

    /// What became of reading a body.
    enum Result: Sendable {
        case read(HeldBody, HealthReading)
        /// It is none that can be read, or is missing. What there is of it stays.
        case damaged
        /// The disk failed: it can be read again.
        case failed(DiskError)
    }

    /// Reads a body and adds its samples to the stored ones.
    ///
    /// - Parameter job: what the work on it needs.
    func read(_ number: Int, _ job: (HeldBody) -> HealthReading.Job) -> Result {
        let bytes: [UInt8]?
        do throws(DiskError) { bytes = try files.read(path(number)) } catch {
            return .failed(error)
        }
        guard let bytes, let body = try? JSONDecoder().decode(HeldBody.self, from: Data(bytes))
        else { return .damaged }
        do throws(HealthReading.Failure) {
            return .read(body, try HealthReading(job(body)))
        } catch {
            switch error {
            case .disk(let cause), .unreadable(let cause): return .failed(cause)
            case .body, .undated: return .damaged
            }
        }
    }

    func remove(_ number: Int) { try? files.remove(path(number)) }
}

/// The held bodies while the relay runs. Later ones wait behind them: the newest value counts.
struct HeldBodies {
    /// In the order in which they came.
    private(set) var numbers: [Int]
    /// Whether the first of them is being read, or its days are on their way.
    var isReading = false
    private var last: Int

    /// The greatest number of them, so that senders without an end do not fill the disk.
    static let most = 256

    init(_ numbers: [Int]) {
        self.numbers = numbers
        last = numbers.last ?? 0
    }

    var isEmpty: Bool { numbers.isEmpty }

    /// The number of the next one; nil when there are too many.
    mutating func add() -> Int? {
        guard numbers.count < HeldBodies.most else { return nil }
        last += 1
        numbers.append(last)
        return last
    }

    mutating func remove(_ number: Int) { numbers.removeAll { $0 == number } }
    mutating func removeAll() { numbers = [] }
}

extension Relay {
    /// Keeps a body until its days can be known. The answer comes when it is on the disk.
    func hold(_ pending: HealthQueue.Pending) {
        let (call, device) = (pending.call, pending.device)
        guard let number = health.held.add() else {
            return answer(call, .failure(.tooManyBodies))
        }
        health.reading[call.id] = pending
        let moment = call.moment
        let body = HeldBody(
            bytes: Data(call.request.body), summary: call.request[.automationAggregation],
            device: device.name, generation: device.generation?.description,
            goals: allowedGoals(of: device), wall: moment.wall.seconds,
            monotonic: moment.monotonic.milliseconds, boot: engine.core.boot)
        let (loop, id, store) = (loop, call.id, files.store.heldBodies)
        health.work.add {
            var fault: DiskError?
            do throws(DiskError) { try store.save(body, as: number) } catch { fault = error }
            let isKept = fault == nil
            loop.post {
                self.assumeIsolated { $0.answerHeld(id, number, isKept: isKept) }
            }
        }
    }

    private func answerHeld(_ id: ExchangeID, _ number: Int, isKept: Bool) {
        if !isKept { health.held.remove(number) }
        if let pending = health.reading.removeValue(forKey: id) {
            let answer = JSONWriter.object { json in
                json.add("ok", true)
                json.add("held", true)
                json.addArray("days") { _ in }
                json.addArray("unmapped") { _ in }
            }
            self.answer(pending.call, isKept ? .success(.json(answer)) : .failure(.diskFull))
        }
        readHeld()
        finishTurn()
    }

    /// Reads the first held body when it is known which day it is.
    func readHeld() {
        guard engine.core.isPresentDayKnown, !health.held.isReading,
            let number = health.held.numbers.first
        else { return }
        health.held.isReading = true
        let store = files.store.heldBodies
        let (now, boot) = (engine.core.corrected(clock()), engine.core.boot)
        let (calendar, rules, samples) = (
            engine.core.lastCalendar, health.rules.book, files.store.samples
        )
        let loop = loop
        health.work.add {
            let result = store.read(number) { body in
                let received = body.received(at: now, boot: boot)
                return HealthReading.Job(
                    bytes: Array(body.bytes),
                    source: HealthBody.Source(
                        calendar: calendar, now: received, summary: body.summary),
                    rules: rules, goals: body.goals, store: samples, isDryRun: false,
                    received: received)
            }
            loop.post {
                self.assumeIsolated { $0.processHeld(number, result) }
            }
        }
    }

    private func processHeld(_ number: Int, _ result: HeldBodyStore.Result) {
        switch result {
        case .read(let body, let reading):
            let sender = HealthQueue.Sender(
                name: body.device, generation: body.generation.flatMap(DeviceGeneration.init))
            accept(reading, of: sender, .held(number), at: UnixTime(body.wall), isTest: false)
        case .damaged:
            log.error("health data that was held is damaged", [("number", "\(number)")])
            health.held.remove(number)
            health.held.isReading = false
            readHeld()
        case .failed(let cause):
            log.error("health data that was held cannot be read", [("cause", cause.cause)])
            health.held.isReading = false
        }
        finishTurn()
    }

    /// The days of a held body are with the account, or could not be taken: then it is read again
    /// with the next one, or when time has passed.
    func endHeld(_ number: Int, isTaken: Bool) {
        health.held.isReading = false
        guard isTaken else { return }
        health.held.remove(number)
        health.work.add { [store = files.store.heldBodies] in store.remove(number) }
        readHeld()
    }
}

extension RelayStore {
    var heldBodies: HeldBodyStore { HeldBodyStore(dataFolder: folder, files: files) }
}
