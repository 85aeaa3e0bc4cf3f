import BeemedDomain
import RelayHTTP
import Testing

@testable import RelayTrunk

/// Addresses that come and go while Beeminder cannot be reached. `make faults` pulls a real link.
struct NetworkWatchTests {
    private static let wired = Address([192, 168, 1, 2])
    private static let wireless = Address([192, 168, 1, 3])

    /// Whether a network came back at each look, at which the machine has these addresses.
    private func looks(
        from start: [Address], _ later: [[Address]], isOffline: Bool = true
    ) -> [Bool] {
        var watch = NetworkWatch()
        watch.begin(at: Monotonic(milliseconds: 0), start)
        // A second `begin` while the watch looks for a network changes nothing.
        watch.begin(at: Monotonic(milliseconds: 0), [])
        return later.indices.map { index in
            let early = Monotonic(milliseconds: Int64(index * 300 + 299))
            expect(!watch.hasComeBack(at: early, isOffline: true, later[index]))
            return watch.hasComeBack(
                at: Monotonic(milliseconds: Int64(index * 300 + 300)), isOffline: isOffline,
                later[index])
        }
    }

    @Test func `a new address is a network that has come back, at the look behind it`() {
        let (wired, wireless) = (NetworkWatchTests.wired, NetworkWatchTests.wireless)
        expect(looks(from: [], [[], [wired], [wired], [wired]]), is: [false, false, true, false])
        expect(
            looks(from: [wired], [[wired, wireless], [wired]]), is: [false, true])
        expect(looks(from: [wired], [[], [wired], []]), is: [false, false, true])
    }

    @Test func `an address that goes, or stays, is none`() {
        let wired = NetworkWatchTests.wired
        expect(looks(from: [wired], [[wired], [], []]), is: [false, false, false])
    }

    @Test func `nobody looks while Beeminder is reached`() {
        var watch = NetworkWatch()
        expect(watch.lookAt == nil)
        watch.begin(at: Monotonic(milliseconds: 0), [])
        let due = Monotonic(milliseconds: 300)
        expect(watch.lookAt, is: due)
        expect(!watch.hasComeBack(at: due, isOffline: false, [NetworkWatchTests.wired]))
        expect(watch.lookAt == nil)
    }
}
