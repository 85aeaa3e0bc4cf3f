import Testing

@testable import BeemedDomain

/// How often something may be done.
struct AllowanceTests {
    @Test func `some at once, then one in so many seconds`() {
        var allowance = Allowance(atOnce: 3, secondsEach: 10)
        let start = Monotonic(milliseconds: 5_000)
        for _ in 0..<3 { expect(allowance.consume(at: start) == nil) }
        expect(allowance.consume(at: start), is: 10)
        expect(allowance.consume(at: start.adding(seconds: 4)), is: 6)
        expect(allowance.consume(at: start.adding(seconds: 10)) == nil)
        expect(allowance.consume(at: start.adding(seconds: 10)), is: 10)
        let later = start.adding(seconds: 1_000)
        for _ in 0..<3 { expect(allowance.consume(at: later) == nil) }
        expect(allowance.consume(at: later), is: 10)
    }
}
