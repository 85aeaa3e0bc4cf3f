import Testing

@testable import BeemedDomain
@testable import RelayTrunk

struct SyncInPlaceTests {
    @Test func `presses that come at once are answered after single ones, which the loop synced`()
        throws
    {
        let folder = TemporaryFolder()
        // No result from there ends a turn.
        let silent = try SilentBeeminder()
        defer { silent.stop() }
        let relay = try RunningRelayProgram(in: folder, beeminder: silent.base)
        // More than it takes on a quick disk until they are written in place.
        for _ in 0..<SyncPolicy.proof + SyncPolicy.enough {
            try expect(relay.call("POST", "/log/water").status, is: 200)
        }
        for _ in 0..<3 {
            let goOn = relay.hold { _, block in block() }
            let clients = (0..<8).map { _ in relay.begin("POST /log/water", token: relay.token) }
            goOn()
            for client in clients {
                expect(client.answer()?.hasPrefix("HTTP/1.1 200 ") ?? false)
            }
            try expect(relay.call("POST", "/log/water").status, is: 200)
        }
    }
}
