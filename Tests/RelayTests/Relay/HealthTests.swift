import Foundation
import RelayHTTP
import Testing

@testable import BeemedDomain
@testable import BeemedRelay

@Suite struct HealthTests {
    private func health(_ sync: SyncState, _ obstacle: DiskError?) throws -> NSDictionary {
        let health = Health(
            sync: sync, obstacle: obstacle, queued: 7, refused: 0, lastDeliveryFailed: false,
            missingGoals: [], goalsAtRisk: [], parked: 0, isClockSound: true,
            findings: Findings())
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

    @Test func `does not blame the disk when too much waits`() throws {
        let health = try health(.diskFull, nil)
        let words = "7 presses wait for Beeminder, and there is no room for more"
        #expect(health["alarms"] as? [String] == ["nothing is accepted: \(words)"])
        #expect((health["journal"] as? NSDictionary)?["store"] as? String == "writable")
    }

    @Test func `has nothing to say when all is well`() throws {
        let health = try health(.online, nil)
        #expect(health["status"] as? String == "ok")
        #expect(health["alarms"] as? [String] == [])
    }
}
