import BeemedDomain
import Foundation
import RelayHTTP
import RelayTrunk

/// A body of health data as received. It is held on the disk while its days cannot be known: the
/// user's time zone was never told, or the body names no day and the clock was not compared with
/// Beeminder's. A guessed day may replace a finished one.
struct HeldBody: Codable, Sendable {
    var bytes: Data
    /// How Health Auto Export has summarised, as its head says.
    var summary: String?
    /// The sender, of which there may be no token any more.
    var device: DeviceName
    var generation: DeviceGeneration
    /// All names of the goals that it may log to; nil for all goals.
    var goals: Set<String>?
    /// When the body came, by the clocks of that boot.
    var wall: Int64
    var monotonic: Int64
    var boot: String
    /// Whether the clock was compared with Beeminder's then.
    var isTimeSure: Bool

    init(_ call: Call, _ core: RelayCore) {
        let device = call.bearer
        (bytes, summary) = (Data(call.request.body), call.request["automation-aggregation"])
        (self.device, generation) = (device.name, device.generation)
        goals = device.goals.map { goals in
            Set(goals.flatMap { GoalSlug($0).map(core.view.goals.names) ?? [] } + goals)
        }
        let moment = call.moment
        (wall, monotonic) = (moment.wall.seconds, moment.monotonic.milliseconds)
        (boot, isTimeSure) = (core.view.boot, core.isTimeSure)
    }

    /// The alarm about a value whose day nobody knows any more.
    static let lostDay =
        "health data without a date came before the clock was compared with Beeminder's, and the "
        + "machine stopped before that: its day is not known, so it does not count; send it again "
        + "with its 'date'"

    /// When the body came, by a clock that is right now; nil when nobody knows: the machine has
    /// stopped since, and its clock had not been compared before.
    func received(at now: Moment, boot: String) -> UnixTime? {
        guard boot == self.boot else {
            return isTimeSure ? UnixTime(min(wall, now.wall.seconds)) : nil
        }
        return now.wall.adding(-max(0, now.monotonic.milliseconds - monotonic) / 1_000)
    }
}

extension RelayStore {
    /// The numbers of the held bodies, in the order in which they came.
    var heldBodies: [Int] {
        files.names(in: healthFolder).compactMap { name in
            name.hasPrefix(RelayStore.heldPrefix) && name.hasSuffix(".json")
                ? Int(name.dropFirst(RelayStore.heldPrefix.count).dropLast(5)) : nil
        }.sorted()
    }

    /// No rule's file has such a name: behind a rule stands a day.
    private static let heldPrefix = "held.body-"

    private func path(_ number: Int) -> String {
        "\(healthFolder)/\(RelayStore.heldPrefix)\(number).json"
    }

    /// Saves a body; it is durable when this returns.
    func save(_ body: HeldBody, as number: Int) throws(DiskError) {
        guard let json = body.json else { return }
        try files.write(json, to: path(number), in: healthFolder)
    }

    /// A held body.
    ///
    /// - Throws: a `Problem` that may pass, unless the body is damaged or missing.
    func heldBody(_ number: Int) throws(Problem) -> HeldBody {
        let bytes: [UInt8]?
        do throws(DiskError) { bytes = try files.read(path(number)) } catch {
            throw .unreadableSamples(error)
        }
        guard let body = bytes.flatMap(HeldBody.init(json:)) else { throw .unknownHealthBody }
        return body
    }

    func removeHeldBody(_ number: Int) { try? files.remove(path(number)) }
}

extension HealthQueue {
    /// The greatest number of held bodies, so that senders without an end do not fill the disk.
    private static let maxHeld = 256

    /// Keeps a body until its days can be known. The answer comes when it is on the disk.
    func hold(_ body: HeldBody, in relay: isolated Relay) async throws(Problem) -> Response {
        guard held.count < HealthQueue.maxHeld else { throw .crowded }
        let store = relay.files.store
        let number: Int
        do throws(DiskError) {
            number = try await work.run { () throws(DiskError) in
                // The file of a damaged one stays.
                let number = (store.heldBodies.last ?? 0) + 1
                try store.save(body, as: number)
                return number
            }
        } catch { throw .diskFull }
        // Later ones wait behind it: the newest value counts.
        held.append(number)
        readHeld(in: relay)
        return .ok { json in
            json.add("held", true)
            json.addArray("days", of: [])
            json.addArray("unmapped", of: [])
        }
    }

    /// Reads the held bodies when the present day is known.
    func readHeld(in relay: isolated Relay) {
        guard relay.engine.core.isPresentDayKnown, !held.isEmpty else { return }
        Task(executorPreference: relay.loop) { [relay] in await HealthQueue.takeHeld(relay) }
    }

    private static func takeHeld(_ relay: isolated Relay) async {
        let health = relay.health
        await health.inTurn(in: relay) {
            while let number = health.held.first, await health.take(number, in: relay) {
                health.held.removeAll { $0 == number }
            }
        }
        relay.finishTurn()
    }

    /// Takes a held body, and returns whether it waits no more: one that cannot be taken now is
    /// read again with the next one, or later. The file of a damaged one stays.
    private func take(_ number: Int, in relay: isolated Relay) async -> Bool {
        let store = relay.files.store
        do throws(Problem) {
            let body = try await work.run { () throws(Problem) in try store.heldBody(number) }
            relay.engine.checkClock()
            guard relay.engine.core.isPresentDayKnown else { return false }
            if let reading = try await parse(body, in: relay) {
                try await apply(reading, of: body, in: relay)
                if reading.body.hasLostDay { relay.engine.raise(HeldBody.lostDay) }
            }
            work.add { store.removeHeldBody(number) }
            return true
        } catch {
            relay.log.error(
                "health data that was held is not taken",
                [("number", "\(number)"), ("cause", error.detail)])
            return !error.mayPass
        }
    }
}
