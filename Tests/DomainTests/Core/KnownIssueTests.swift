import Testing

@testable import BeemedDomain

/// What is not as it should be yet. A test that passes without its known issue tells so.
@Suite struct KnownIssueTests {
    /// The right time, in the morning of the bench's first day, by UTC.
    private static let right = UnixTime(1_760_000_000)

    private static func moment(_ error: Int64, after seconds: Int64) -> Moment {
        Moment(
            wall: right.adding(error + seconds), monotonic: Monotonic(milliseconds: seconds * 1_000)
        )
    }

    /// Steps without a date come as they do from a sender that has none: of the day that the relay
    /// has at their receipt.
    private func receive(_ bench: inout CoreBench) throws {
        let day = bench.core.lastCalendar.day(at: bench.core.corrected(bench.now).wall)
        bench.total(.make(9_000, day: day))
        try bench.commit()
    }

    /// Beeminder says twice what time it is.
    private func compare(_ bench: inout CoreBench, after seconds: Int64) {
        let right = Self.right.adding(seconds)
        for _ in 0..<2 {
            bench.apply(.receivedTime(UpstreamTime(right, at: bench.now.monotonic)))
        }
    }

    @Test(
        arguments: [
            ("nine and a half hours behind", -34_200), ("26 hours behind", -93_600),
            ("two days behind at boot", -172_800), ("a day ahead", 86_400),
        ] as [(String, Int64)])
    func `a total without a date is of the day that it really is`(_ name: String, _ error: Int64)
        throws
    {
        var bench = try CoreBench(now: Self.moment(error, after: 10), asksUpstreamTime: true)
        bench.learn()
        try receive(&bench)
        compare(&bench, after: 10)
        bench.learn()
        try bench.commit()
        withKnownIssue("the day is worked out at receipt: \(name)") {
            #expect(bench.sent.map(\.daystamp) == [CoreBench.today])
        }
    }

    @Test func `a total without a date has the right day after a jump of the clock`() throws {
        var bench = try CoreBench(now: Self.moment(0, after: 10), asksUpstreamTime: true)
        compare(&bench, after: 10)
        bench.learn()
        bench.now = Self.moment(86_400, after: 70)
        try receive(&bench)
        compare(&bench, after: 70)
        bench.learn()
        try bench.commit()
        withKnownIssue("a clock that has jumped is believed until it is compared") {
            #expect(bench.sent.map(\.daystamp) == [CoreBench.today])
        }
    }

    @Test func `a total without a date waits for the time zone`() throws {
        var bench = try CoreBench(now: Self.moment(0, after: 10), asksUpstreamTime: true)
        try receive(&bench)
        compare(&bench, after: 10)
        bench.learn(timezone: "Pacific/Honolulu")
        try bench.commit()
        withKnownIssue("without a zone the day is that of UTC") {
            #expect(bench.sent.map(\.daystamp) == [CoreBench.today.adding(days: -1)])
        }
    }
}
