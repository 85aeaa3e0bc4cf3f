import Testing

@testable import BeemedDomain

/// A press that comes again, although its day or its value is another one by now.
struct RepetitionTests {
    @Test func `a press of yesterday is the same again, whether or not its day was known`() throws {
        var bench = try CoreBench()
        let press = Press.make("1", day: .ago(days: 1))
        try bench.commit { $0.press(press) }
        let again = try bench.commit { $0.press(press) }
        expect(bench.acceptance(again)?.isDuplicate, is: true)
        let other = try bench.commit { $0.press(.make("1", day: .ago(days: 2))) }
        expect(bench.refusal(other), is: "conflict")
    }

    @Test func `knows an exported total again by its newest value`() throws {
        var bench = try CoreBench()
        try bench.record(100)
        try bench.record(120)
        for (value, isKnown) in [(100.0, true), (120, true), (110, false)] {
            let press = Press.make(
                "walk-20251009", device: "health", value: value, time: .recorded(nil),
                day: .on(CoreBench.today))
            let again = bench.press(press)
            expect((bench.acceptance(again) != nil) == isKnown, "\(bench.replies[again] as Any)")
        }
    }
}
