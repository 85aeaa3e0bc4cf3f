import Testing

@testable import BeemedDomain

/// Values that are the time, which programs send where nothing else was set.
struct TimeAsValueTests {
    private func isTaken(_ value: Double, _ time: PressTime = .now) throws -> Bool {
        var bench = try CoreBench()
        let replyID = try bench.commit { $0.press(.make("1", value: value, time: time)) }
        if case .refused(.timeAsValue)? = bench.replies[replyID] { return false }
        return bench.acceptance(replyID) != nil
    }

    /// The clock says 1,760,000,000.
    @Test(arguments: [
        (1_760_000_000, false), (1_759_990_000.25, false), (1_770_000_000, false),
        (1_760_000_000_123, false), (1_795_700_172_803, false), (1_600_000_000_000, false),
        (1_900_000_000, true), (1_500_000_000, true), (999_999, true), (17_600_000_000, true),
        (1e15, true), (-1_760_000_000, true), (1.5e12, true), (4.2e12, true),
        (20_251_009, false), (20_250_904, false), (20_241_009, true), (20_251_032, true),
        (20_251_009.5, true), (-20_251_009, true),
    ])
    func `a value that is a present time is refused`(_ value: Double, _ isAmount: Bool) throws {
        try expect(isTaken(value), is: isAmount)
        try expect(isTaken(value, .timestamp(UnixTime(1_760_000_000))), is: isAmount)
        try expect(isTaken(value, .recorded(UnixTime(1_760_000_000))))
    }
}
