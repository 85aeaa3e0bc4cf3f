import RelayHTTP
import Testing

@testable import RelayTrunk

#if os(Linux)
    /// The kernel's tables as they were recorded.
    struct WaysOutTests {
        @Test func `an address that the kernel still asks about is not a way out`() {
            let table = """
                fd000000000000000000000000000002 02 40 00 80     eth0
                fd000000000000000000000000000003 02 40 00 c0     eth0
                fe80000000000000fc00fffffe000001 02 40 20 40     eth0
                00000000000000000000000000000001 01 80 10 80       lo
                """
            expect(
                WaysOut.tentativeAddresses(table),
                is: [
                    "fd000000000000000000000000000003", "fe80000000000000fc00fffffe000001",
                ])
        }

        @Test func `a default route is a way out, and no other route`() {
            let table4 = """
                Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
                eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
                *\t00000000\t00000000\t0201\t0\t0\t9\t00000000\t0\t0\t0
                eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
                """
            let (zero, one) = (
                String(repeating: "0", count: 32), "fd000000000000000000000000000001"
            )
            let table6 = """
                fd000000000000000000000000000000 40 \(zero) 00 \(zero) 00000100 00000001 00000000 00000001     eth0
                \(zero) 00 \(zero) 00 \(one) 00000400 00000003 00000000 00000003     eth0
                \(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo
                """
            expect(WaysOut.defaultRoutes(table4, nil), is: ["eth0 010200C0"])
            expect(WaysOut.defaultRoutes(nil, table6), is: ["eth0 \(one)"])
        }

        @Test(arguments: ["", "\n", "a", "00000000 00 0 0 0 0 0 0 0 0", "\u{0}\t\t 0000 "])
        func `other text is no way out`(_ table: String) {
            expect(WaysOut.tentativeAddresses(table).isEmpty)
            expect(WaysOut.defaultRoutes(table, "").isEmpty)
        }
    }
#endif

struct DebounceTests {
    private func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64((1_000 + seconds) * 1e9))
    }

    @Test func `says once what comes in a burst, within a second`() {
        var debounce = Debounce()
        expect(debounce.wake == nil)
        for time in [0, 0.1, 0.2] { debounce.update(at: at(time)) }
        expect(debounce.wake, is: at(0.3))
        let fired = [0.29, 0.3, 0.3].map { debounce.fires(at: at($0)) }
        expect(fired, is: [false, true, false])
        expect(debounce.wake == nil)
    }

    @Test func `says it at most once a second`() {
        var debounce = Debounce()
        debounce.update(at: at(0))
        let first = debounce.fires(at: at(0.3))
        debounce.update(at: at(0.4))
        expect(debounce.wake, is: at(1.3))
        let later = [1, 1.3].map { debounce.fires(at: at($0)) }
        expect([first] + later, is: [true, false, true])
    }
}
