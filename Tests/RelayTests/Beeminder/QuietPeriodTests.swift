import RelayHTTP
import Testing

@testable import BeemedRelay

/// When a transport has nothing to do.
@Suite struct QuietPeriodTests {
    private func second(_ number: Double) -> Instant {
        Instant(nanoseconds: 0).advanced(bySeconds: number)
    }

    @Test func `a quiet period is over some seconds after the last request`() {
        var quiet = QuietPeriod()
        quiet.begin()
        let mustLook = quiet.end(at: second(1))
        let rest = quiet.rest(at: second(6))
        #expect(mustLook)
        #expect(rest == nil)
    }

    @Test func `one look is enough for all requests until it is over`() {
        var quiet = QuietPeriod()
        quiet.begin()
        quiet.begin()
        var looks = [quiet.end(at: second(1)), quiet.end(at: second(2))]
        quiet.begin()
        looks.append(quiet.end(at: second(5)))
        #expect(looks == [true, false, false])
        let rests = [quiet.rest(at: second(6)), quiet.rest(at: second(10))]
        #expect(rests == [4, nil])
        quiet.begin()
        let mustLook = quiet.end(at: second(30))
        #expect(mustLook)
    }

    @Test func `a quiet period does not end while a request is under way`() {
        var quiet = QuietPeriod()
        quiet.begin()
        _ = quiet.end(at: second(1))
        quiet.begin()
        let busy = quiet.rest(at: second(6))
        _ = quiet.end(at: second(7))
        let rests = [quiet.rest(at: second(11)), quiet.rest(at: second(12))]
        #expect(busy == QuietPeriod.seconds)
        #expect(rests == [1, nil])
    }
}
