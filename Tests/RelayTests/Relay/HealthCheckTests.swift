import Foundation
import RelayHTTP
import Testing

@testable import BeemedDomain
@testable import RelayTrunk

struct HealthCheckTests {
    private let folder = TemporaryFolder()

    /// Of a core that has nothing to say, but for this.
    private func check(_ sync: SyncState) throws -> HealthCheck {
        let place = try RelayFolder(folder.path)
        defer { place.folder.release() }
        let now = SystemClock.moment()
        let (_, recovered, receipt) = try Journal.open(
            try SystemDisk(dataFolder: folder.path), store: UUID().uuidString, time: now.wall)
        let core = RelayCore(recovered, under: receipt, boot: "boot", seed: 1)
        let health = HealthCheck(core.view, at: now)
        (health.sync, health.isVerified, health.clock) = (sync, true, .right)
        return health
    }

    private func health(_ sync: SyncState, _ obstacle: DiskError?) throws -> NSDictionary {
        let health = try check(sync)
        health.obstacle = obstacle
        expect(health.response.status, is: (sync == .diskFull ? 503 : 200))
        return try members(String(decoding: health.response.body, as: UTF8.self))
    }

    @Test(arguments: [
        (ENOSPC, "the disk is full; free some space there"),
        (EDQUOT, "the disk is full; free some space there"),
        (EROFS, "the disk may only be read; see the system's log for the reason"),
        (EIO, "Input/output error; see the relay's log"),
    ])
    func `says why nothing is accepted`(_ code: Int32, _ words: String) throws {
        let health = try health(.diskFull, DiskError("commit.free", code: code))
        expect(health["alarms"] as? [String], is: ["nothing is accepted: \(words)"])
        expect((health["journal"] as? NSDictionary)?["store"] as? String == "obstructed")
    }

    @Test func `says whose presses are too many that wait or are refused`() throws {
        let water = try require(GoalSlug("water"))
        let knob = DeviceIdentity(name: try require(DeviceName("knob")), generation: nil)
        let health = try check(.online)
        health.crowdingDevices = [knob]
        health.devicesOverQuota = [knob, knob]
        health.crowdingGoals = [water, water]
        expect(health.response.status, is: 503)
        let shown = try members(String(decoding: health.response.body, as: UTF8.self))
        let alarms = try require(shown["alarms"] as? [String])
        expect(alarms.count, is: 3)
        expect(alarms[0].contains("presses of 1 device are not accepted"))
        expect(alarms[1].contains("presses of 2 devices are not accepted for now"))
        expect(alarms[2].contains("GET /events?state=refused"))
        // A client with a token is told which devices.
        health.isNamed = true
        let body = String(decoding: health.response.body, as: UTF8.self)
        expect(body.contains("presses of 1 device ('knob') are not accepted: too many"))
        expect(body.contains("presses of 2 devices ('knob', 'knob') are not accepted for now"))
        expect((shown["journal"] as? NSDictionary)?["store"] as? String == "writable")
    }

    @Test func `says whose the folder is and what to do, and names nobody to strangers`() throws {
        let health = try check(.signInAgain)
        health.conflict = FolderConflict(
            owner: "alice", other: "bob", unsettled: 3, isBusy: false)
        let stranger = String(decoding: health.response.body, as: UTF8.self)
        expect(stranger.contains("another user's than this folder"))
        expect(!stranger.contains("alice") && !stranger.contains("bob"))
        health.isNamed = true
        let shown = try members(String(decoding: health.response.body, as: UTF8.self))
        expect(shown["status"] as? String, is: "failing")
        expect(
            shown["alarms"] as? [String],
            is: [
                "this folder is alice's, and the token is bob's; 3 presses wait or are refused: "
                    + "take them back (events undo ID), connect alice's token again, or use "
                    + "another --data for bob"
            ])
    }

    @Test(arguments: [
        (1, false, "1 press waits or is refused"), (0, true, "try again later"),
        (0, false, "connect bob's token again to begin anew here"),
    ])
    func `says why a folder is not begun anew`(
        _ unsettled: Int, _ isBusy: Bool, _ words: String
    ) {
        let conflict = FolderConflict(
            owner: "alice", other: "bob", unsettled: unsettled, isBusy: isBusy)
        expect(conflict.words.contains(words))
        expect(conflict.mayTakeOver, is: (unsettled == 0 && !isBusy))
    }

    private func alarms(_ change: (HealthCheck) throws -> Void) throws -> [String] {
        let health = try check(.online)
        (health.pendingEvents, health.isNamed) = (4, true)
        try change(health)
        let shown = try members(String(decoding: health.response.body, as: UTF8.self))
        expect(shown["status"] as? String, is: "degraded")
        return try require(shown["alarms"] as? [String])
    }

    @Test func `says that the machine does not know the user's time zone`() throws {
        let alarms = try alarms { $0.unknownZone = "Mars/Base" }
        expect(alarms.count, is: 1)
        expect(alarms.first?.contains("time zone 'Mars/Base'"), is: true)
        let named = try self.alarms { health in
            health.unknownZone = "Mars/Base"
            health.isNamed = false
        }
        expect(named.first?.contains("Mars"), is: false, "a stranger is told no place")
    }

    @Test(arguments: [
        (4, 0, "4 presses wait and are sent again by themselves"),
        (1, 2, "1 press waits and is sent again by itself"),
        (0, 1, "1 deletion waits and is sent again by itself"),
        (0, 2, "2 deletions wait and are sent again by themselves"),
    ])
    func `says that Beeminder answers with errors`(
        _ presses: Int, _ deletions: Int, _ words: String
    ) throws {
        let alarms = try alarms { health in
            health.pendingEvents = presses
            health.waitingDeletions = deletions
            health.lastDeliveryFailed = true
            health.deliveryError = "status 503"
        }
        expect(alarms, is: ["Beeminder answers with errors (status 503): \(words)"])
    }

    @Test func `a stranger is not told the words of an answer`() throws {
        let all = try alarms { health in
            health.isNamed = false
            health.lastDeliveryFailed = true
            health.deliveryError = "status 402, not in Beeminder's words: alice/diary"
        }
        expect(all.count == 1 && all[0].contains("errors (status 402): 4 presses"), "\(all)")
    }

    @Test(
        arguments: [
            (1, "derails in 1 minute"), (40, "derails in 40 minutes"), (0, "derails in 0 minutes"),
            (-1, "has derailed 1 minute ago"), (-70, "has derailed 70 minutes ago"),
        ] as [(Int64, String)])
    func `whoever logs elsewhere is told to take the press back first`(
        _ minutes: Int64, _ words: String
    ) throws {
        let slug = try require(GoalSlug("diary"))
        let byHand =
            "log it at beeminder.com, and take it back here first: beemed-relay events undo ID"
        let all = try alarms { health in
            health.failingEvents = 2
            health.goalsAtRisk = [true, false].map { isShown in
                GoalAtRisk(goal: slug, minutesLeft: minutes, waiting: 1, isShown: isShown)
            }
        }
        expect(all.first, is: "'diary' \(words), and a press waits: \(byHand)")
        expect(all.count == 3 && all.allSatisfy { $0.hasSuffix(byHand) }, "\(all)")
    }

    @Test func `says what to do about a goal that Beeminder does not know`() throws {
        let slug = try require(GoalSlug("nosuch"))
        let all = try alarms { $0.missingGoals = [slug] }
        expect(
            all,
            is: [
                "Beeminder knows no goal 'nosuch'; its presses wait: send them to another goal "
                    + "(events retry ID --goal GOAL) or take them back (events undo ID)"
            ])
    }

    @Test func `has nothing to say when all is well`() throws {
        let health = try health(.online, nil)
        expect(health["status"] as? String, is: "ok")
        expect(health["alarms"] as? [String], is: [])
    }
}
