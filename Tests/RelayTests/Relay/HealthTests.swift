import Foundation
import RelayHTTP
import Testing

@testable import BeemedDomain
@testable import BeemedRelay

@Suite struct HealthTests {
    private func health(_ sync: SyncState, _ obstacle: DiskError?) throws -> NSDictionary {
        let health = Health(
            account: Health.AccountStatus(sync: sync), disk: Health.Disk(obstacle: obstacle),
            queue: Health.Queue(length: 7), clock: .right)
        #expect(health.response.status == (sync == .diskFull ? 503 : 200))
        return try members(String(decoding: health.response.body, as: UTF8.self))
    }

    @Test(arguments: [
        (ENOSPC, "the disk is full"), (EDQUOT, "the disk is full"),
        (EROFS, "the disk may only be read"),
        (EIO, "commit.free: Input/output error (error 5)"),
    ])
    func `says why nothing is accepted`(_ code: Int32, _ words: String) throws {
        let health = try health(.diskFull, DiskError("commit.free", code: code))
        #expect(health["alarms"] as? [String] == ["nothing is accepted: \(words)"])
        #expect((health["journal"] as? NSDictionary)?["store"] as? String == "obstructed")
    }

    @Test func `says whose presses are not accepted when too many of them wait or are refused`()
        throws
    {
        var health = Health(
            account: Health.AccountStatus(sync: .online), queue: Health.Queue(length: 7),
            clock: .right)
        health.queue.crowdingDevices = 1
        health.goals.crowding = 2
        #expect(health.response.status == 503)
        let shown = try members(String(decoding: health.response.body, as: UTF8.self))
        let alarms = try #require(shown["alarms"] as? [String])
        #expect(alarms.count == 2)
        #expect(alarms[0].contains("presses of 1 device are not accepted"))
        #expect(alarms[1].contains("GET /events?state=refused"))
        #expect((shown["journal"] as? NSDictionary)?["store"] as? String == "writable")
    }

    @Test func `warns of the goals of an account that is not connected, and names none`() throws {
        let slug = try #require(GoalSlug("diary"))
        let risk = GoalAtRisk(
            goal: slug, minutesLeft: 40, waiting: 2, isShown: false, isOfAnother: true)
        var health = Health(
            account: Health.AccountStatus(sync: .online), queue: Health.Queue(length: 2, parked: 2),
            goals: Health.Goals(atRisk: [risk]), clock: .right)
        health.names = Health.Names(user: "bob")
        let body = String(decoding: health.response.body, as: UTF8.self)
        let shown = try members(body)
        #expect(shown["status"] as? String == "degraded")
        #expect(shown["goalsAtRisk"] as? Int == 1)
        let alarms = try #require(shown["alarms"] as? [String])
        #expect(alarms[0].hasPrefix("a goal of another account derails in 40 minutes"))
        #expect(!body.contains("diary"))
    }

    @Test func `has nothing to say when all is well`() throws {
        let health = try health(.online, nil)
        #expect(health["status"] as? String == "ok")
        #expect(health["alarms"] as? [String] == [])
    }
}
