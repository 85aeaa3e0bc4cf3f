import Foundation
import Testing

@testable import BeemedDomain
@testable import BeeminderSimulator
@testable import RelayTrunk

/// `create_all` against every self that Beeminder may have, and then each that is not confirmed by
/// itself: nothing is lost, nothing doubled, and in the end all is known.
struct BatchDeliveryTests {
    struct Variant: Sendable, CustomTestStringConvertible {
        var errors: SimulatedQuirks.BatchErrors
        var status: Int
        var forgets: Int?
        var testDescription: String { "\(errors) \(status) \(forgets ?? 0)" }
    }

    static let selves = SimulatedQuirks.BatchErrors.allCases.flatMap { errors in
        [200, 422, 500].flatMap { status in
            [nil, 2].map { Variant(errors: errors, status: status, forgets: $0) }
        }
    }

    private func client(_ beeminder: RunningBeeminder) throws -> BeeminderClient {
        try BeeminderClient(
            base: beeminder.base, account: .personalToken(RunningBeeminder.token),
            wallClock: { UnixTime(1_760_000_000) })
    }

    @Test(arguments: selves) func `knows in the end what became of each`(_ quirk: Variant)
        async throws
    {
        let beeminder = try RunningBeeminder()
        await beeminder.change { world in
            world.quirks.batchErrors = quirk.errors
            world.quirks.batchStatus = quirk.status
            world.quirks.batchForgets = quirk.forgets
        }
        let client = try client(beeminder)
        // Three that are there already, of eight.
        _ = try await BeeminderClientTests.send(client, 3)
        let result = try await BeeminderClientTests.send(client, 8)
        for outgoing in try BeeminderClientTests.batch(8).datapoints {
            if case .delivered = result.outcome(of: outgoing.number) { continue }
            guard case .whole(.delivered) = await BeeminderClientTests.send(client, [outgoing])
            else { throw Unexpected("\(outgoing.number)") }
        }
        let posted = await beeminder.posted(to: "water")
        expect(posted.compactMap(\.requestID), is: (1...8).map { "b.\($0)" })
    }

    @Test func `leaves in the queue what a day has no room for`() async throws {
        let beeminder = try RunningBeeminder()
        await beeminder.change { world in
            world.quirks.batchErrors = .silent
            world.quirks.datapointsPerDay = 4
        }
        let result = try await BeeminderClientTests.send(try client(beeminder), 6)
        guard case .each(let outcomes) = result else { throw Unexpected(result) }
        expect(Set(outcomes.keys), is: [1, 2, 3, 4])
    }

    @Test func `deletes what it has sent, and what somebody has deleted on the web`() async throws {
        let beeminder = try RunningBeeminder()
        let client = try client(beeminder)
        _ = try await BeeminderClientTests.send(client, 7)
        try await expect(BeeminderClientTests.erase(client, nil), is: .erased)
        let left = await beeminder.posted(to: "water")
        expect(left.compactMap(\.requestID), is: (1...6).map { "b.\($0)" })
        try await expect(BeeminderClientTests.erase(client, nil), is: .erased)
        try await expect(
            BeeminderClientTests.erase(client, "0123456789abcdef01234567"), is: .erased)
    }
}
