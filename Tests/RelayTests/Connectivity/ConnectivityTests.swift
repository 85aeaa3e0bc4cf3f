import RelayHTTP
import Testing

@testable import RelayTrunk

#if os(Linux)
    /// The kernel's table as it was recorded. A network that comes back is one of the fault cases.
    struct RouteWatchTests {
        @Test func `an address that the kernel still asks about is not in use`() {
            let table = """
                fd000000000000000000000000000002 02 40 00 80     eth0
                fd000000000000000000000000000003 02 40 00 c0     eth0
                fe80000000000000fc00fffffe000001 02 40 20 40     eth0
                00000000000000000000000000000001 01 80 10 80       lo
                """
            expect(
                RouteWatch.tentative(in: table),
                is: [
                    "fd000000000000000000000000000003", "fe80000000000000fc00fffffe000001",
                ])
        }

        @Test(arguments: ["", "\n", "a", "00000000 00 0 0 0 0 0 0 0 0", "\u{0}\t\t 0000 "])
        func `other text is no address`(_ table: String) {
            expect(RouteWatch.tentative(in: table).isEmpty)
        }
    }
#endif
