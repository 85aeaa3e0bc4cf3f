import Testing

@testable import RelayHTTP

struct BusyPollingTests {
    private func polling(shortWaits: Int) -> BusyPolling {
        var polling = BusyPolling()
        for _ in 0..<shortWaits { polling.note(nanoseconds: 20_000, events: 1, wasRung: false) }
        return polling
    }

    @Test func `a loop looks before it sleeps when its waits have been short for a while`() {
        for waits in 0..<BusyPolling.enough {
            #expect(polling(shortWaits: waits).nanoseconds == 0)
        }
        #expect(polling(shortWaits: BusyPolling.enough).nanoseconds == BusyPolling.longest)
    }

    @Test(arguments: [
        (BusyPolling.longest + 1, 1, false), (20_000, 0, false), (20_000, 2, false),
        (20_000, 1, true),
    ])
    func `two other waits in succession end that, and one does not`(
        _ nanoseconds: Int64, _ events: Int, _ wasRung: Bool
    ) {
        var polling = polling(shortWaits: 1_000)
        polling.note(nanoseconds: nanoseconds, events: events, wasRung: wasRung)
        #expect(polling.nanoseconds > 0)
        polling.note(nanoseconds: nanoseconds, events: events, wasRung: wasRung)
        #expect(polling.nanoseconds == 0)
    }

    @Test func `one other wait in six ends it`() {
        var polling = polling(shortWaits: 1_000)
        for _ in 0..<12 {
            polling.note(nanoseconds: 1_000_000, events: 1, wasRung: false)
            for _ in 0..<5 { polling.note(nanoseconds: 20_000, events: 1, wasRung: false) }
        }
        #expect(polling.nanoseconds == 0)
    }

    @Test func `a press now and then never begins it`() {
        var polling = BusyPolling()
        for wait in 0..<10_000 {
            polling.note(
                nanoseconds: wait % 2 == 0 ? 1_000_000_000 : 100, events: 1, wasRung: false)
            #expect(polling.nanoseconds == 0)
        }
    }
}
