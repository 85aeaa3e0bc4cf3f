import Testing

@testable import RelayHTTP

struct BusyPollingTests {
    private static let short: Int64 = 20_000

    private static func ready(_ tokens: UInt64...) -> [Ready] {
        tokens.map { Ready(token: $0, canRead: true, canWrite: false, isBroken: false) }
    }

    /// After so many short waits that one client has ended, and one before them.
    private func polling(shortWaits: Int) -> BusyPolling {
        var polling = BusyPolling()
        for _ in 0...shortWaits {
            polling.record(
                nanoseconds: BusyPollingTests.short, BusyPollingTests.ready(7), wasWoken: false)
        }
        return polling
    }

    @Test func `a loop looks before it sleeps when one client has been quick for a while`() {
        for waits in 0..<BusyPolling.enough {
            #expect(polling(shortWaits: waits).nanoseconds == 0)
        }
        #expect(polling(shortWaits: BusyPolling.enough).nanoseconds == BusyPolling.longest)
    }

    @Test(arguments: [
        (BusyPolling.longest + 1, ready(7), false), (short, [], false),
        (short, ready(7, 8), false), (short, ready(7), true),
    ])
    func `two other waits in succession end that, and one does not`(
        _ nanoseconds: Int64, _ ready: [Ready], _ wasWoken: Bool
    ) {
        var polling = polling(shortWaits: 1_000)
        polling.record(nanoseconds: nanoseconds, ready, wasWoken: wasWoken)
        #expect(polling.nanoseconds > 0)
        polling.record(nanoseconds: nanoseconds, ready, wasWoken: wasWoken)
        #expect(polling.nanoseconds == 0)
    }

    @Test func `one other wait in six ends it`() {
        var polling = polling(shortWaits: 1_000)
        for _ in 0..<12 {
            polling.record(nanoseconds: 1_000_000, BusyPollingTests.ready(7), wasWoken: false)
            for _ in 0..<5 {
                polling.record(
                    nanoseconds: BusyPollingTests.short, BusyPollingTests.ready(7), wasWoken: false)
            }
        }
        #expect(polling.nanoseconds == 0)
    }

    @Test func `a wait in sleep may be longer, since to fall asleep and to wake is part of it`() {
        var polling = BusyPolling()
        let slept = BusyPolling.longestAsleep
        for wait in 0..<10_000 {
            // One in nine is longer, and no two of them come together.
            polling.record(
                nanoseconds: wait % 9 == 8 ? slept + 1 : slept, BusyPollingTests.ready(7),
                wasWoken: false)
            #expect(polling.nanoseconds == 0)
        }
        polling = BusyPolling()
        for _ in 0...BusyPolling.enough {
            polling.record(nanoseconds: slept, BusyPollingTests.ready(7), wasWoken: false)
        }
        #expect(polling.nanoseconds == BusyPolling.longest)
    }

    @Test func `clients that take turns never begin it`() {
        var polling = BusyPolling()
        for wait in 0..<10_000 as Range<UInt64> {
            polling.record(
                nanoseconds: BusyPollingTests.short, BusyPollingTests.ready(wait % 2),
                wasWoken: false)
            #expect(polling.nanoseconds == 0)
        }
    }

    @Test func `a press now and then never begins it`() {
        var polling = BusyPolling()
        for wait in 0..<10_000 {
            polling.record(
                nanoseconds: wait % 2 == 0 ? 1_000_000_000 : 100, BusyPollingTests.ready(7),
                wasWoken: false)
            #expect(polling.nanoseconds == 0)
        }
    }
}
