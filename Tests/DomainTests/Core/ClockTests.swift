import Testing

@testable import BeemedDomain

/// Beeminder's `Date` against a clock that is behind, ahead, or set while the relay runs.
struct ClockTests {
    private static let noon: Int64 = 1_760_000_000

    private static func moment(_ wall: Int64, _ seconds: Int64) -> Moment {
        Moment(wall: UnixTime(wall), monotonic: Monotonic(milliseconds: seconds * 1_000))
    }

    private static func time(_ time: Int64, _ seconds: Int64) -> UpstreamTime {
        UpstreamTime(UnixTime(time), at: Monotonic(milliseconds: seconds * 1_000))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        /// The clock when Beeminder says `noon`, 100 s after the boot, and later.
        var wall: Int64
        var laterWall: Int64
        var laterSeconds: Int64
        var corrected: Int64
        var mayBeSent: Bool
        var testDescription: String { name }
    }

    static let rows = [
        Row(
            name: "right", wall: noon, laterWall: noon + 50, laterSeconds: 150,
            corrected: noon + 50, mayBeSent: true),
        Row(
            name: "a little off", wall: noon - 90, laterWall: noon - 40, laterSeconds: 150,
            corrected: noon - 40, mayBeSent: true),
        Row(
            name: "seven hours behind", wall: noon - 25_200, laterWall: noon - 25_150,
            laterSeconds: 150, corrected: noon + 50, mayBeSent: true),
        Row(
            name: "a day ahead", wall: noon + 86_400, laterWall: noon + 86_450, laterSeconds: 150,
            corrected: noon + 50, mayBeSent: true),
        Row(
            name: "behind, and set right", wall: noon - 25_200, laterWall: noon + 50,
            laterSeconds: 150, corrected: noon + 50, mayBeSent: true),
        Row(
            name: "right, and set wrong", wall: noon, laterWall: noon - 3_550, laterSeconds: 150,
            corrected: noon - 3_550, mayBeSent: false),
        Row(
            name: "asleep for an hour", wall: noon, laterWall: noon + 3_650, laterSeconds: 150,
            corrected: noon + 3_650, mayBeSent: false),
    ]

    @Test(arguments: rows) func `the clock is compared with what Beeminder says`(_ row: Row) {
        var clock = ClockTrust(
            earliest: UnixTime(0), lastReceipt: UnixTime(0))
        expect(!clock.mayBeSentBy(Self.moment(row.wall, 100)), "before Beeminder was asked")
        for _ in 0..<2 {
            clock.evaluate(Self.time(Self.noon, 100), at: Self.moment(row.wall, 100))
        }
        let later = Self.moment(row.laterWall, row.laterSeconds)
        expect(clock.corrected(later).wall.seconds, is: row.corrected)
        expect(clock.mayBeSentBy(later), is: row.mayBeSent)
        // It is asked again, and all is well.
        for _ in 0..<2 { clock.evaluate(Self.time(Self.noon + 50, 150), at: later) }
        expect(abs(clock.corrected(later).wall.seconds - Self.noon - 50) <= 120)
        expect(clock.mayBeSentBy(later))
    }

    @Test func `a clock behind the last receipt is never believed before Beeminder was asked`() {
        var clock = ClockTrust(
            earliest: UnixTime(0), lastReceipt: UnixTime(Self.noon))
        for seconds in [0, 1_000, 80_000] as [Int64] {
            let isSound = clock.isSound(Self.moment(Self.noon - 86_400 + seconds, seconds))
            expect(!isSound)
        }
        let now = Self.moment(Self.noon - 86_400, 100_000)
        for _ in 0..<2 { clock.evaluate(Self.time(Self.noon + 60, 100_000), at: now) }
        let isSound = clock.isSound(now)
        expect(isSound)
        expect(clock.corrected(now).wall.seconds, is: Self.noon + 60)
    }

    struct Answer: Sendable {
        var status = 200
        var date: Int64? = noon
        var body = #"{"username":"alice"}"#
        var roundTrip: Int64 = 200
        var counts = false
    }

    static let answers = [
        Answer(counts: true), Answer(status: 500, counts: true), Answer(body: " []", counts: true),
        Answer(date: nil), Answer(status: 302), Answer(body: "<html>"), Answer(body: "Bad gateway"),
        Answer(body: ""), Answer(roundTrip: 31_000), Answer(roundTrip: -1),
    ]

    @Test(arguments: answers) func `only Beeminder's own answers tell the time`(_ row: Answer) {
        let answer = UpstreamAnswer(
            status: row.status, date: row.date.map(UnixTime.init), body: Array(row.body.utf8))
        let time = UpstreamTime(
            answer, sent: Monotonic(milliseconds: 1_000),
            received: Monotonic(milliseconds: 1_000 + row.roundTrip))
        let told = UpstreamTime(UnixTime(Self.noon), at: Monotonic(milliseconds: 1_100))
        expect(time, is: (row.counts ? told : nil))
    }

    /// A relay that asks Beeminder for the time, whose clock is so many seconds ahead.
    private func bench(ahead: Int64) throws -> CoreBench {
        try CoreBench(now: Self.moment(Self.noon + ahead, 1_000), asksUpstreamTime: true)
    }

    /// The first answers of a process differ from its clock, which is right, or wrong.
    @Test(arguments: [0, -25_200]) func `one wrong date moves no press to another day`(
        _ ahead: Int64
    ) throws {
        var bench = try bench(ahead: ahead)
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        let fetches = bench.fetches
        // The user alone was asked for: that is one answer.
        bench.apply(.receivedTime(Self.time(Self.noon + 172_800, 1_000)))
        try bench.commit { $0.apply(.fetched(.unchanged(UpstreamUser(name: "alice")))) }
        expect(bench.sent.isEmpty, "a second answer tells which time is right")
        expect(bench.fetches > fetches)
        for _ in 0..<(ahead == 0 ? 1 : 2) {
            bench.apply(.receivedTime(Self.time(Self.noon, 1_000)))
            bench.apply(.fetched(.unchanged(UpstreamUser(name: "alice"))))
        }
        try bench.commit()
        bench.deliver(1, .delivered(.created, datapoint: nil))
        expect(bench.sent.map(\.at.seconds), is: [Self.noon, Self.noon])
    }

    @Test func `answers that never agree do not hold presses for ever, until two agree`() throws {
        var bench = try bench(ahead: 0)
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        for day in 1...3 as ClosedRange<Int64> {
            expect(bench.sent.isEmpty)
            bench.apply(.receivedTime(Self.time(Self.noon + day * 86_400, 1_000)))
            bench.apply(.fetched(.unclear("no list")))
            bench.pass(seconds: 0)
        }
        expect(bench.sent.map(\.at.seconds), is: [Self.noon])
        bench.apply(.receivedTime(Self.time(Self.noon + 9 * 86_400, 1_000)))
        bench.deliver(1, .delivered(.created, datapoint: nil))
        try bench.commit { $0.press(.make("3")) }
        expect(bench.sent.map(\.requestID), is: ["button.1", "button.2"])
        try bench.commit { $0.apply(.receivedTime(Self.time(Self.noon + 9 * 86_400, 1_000))) }
        bench.deliver(2, .delivered(.created, datapoint: nil))
        expect(bench.sent.last?.at, is: UnixTime(Self.noon + 9 * 86_400))
    }

    @Test(arguments: [-25_200, 86_400, -86_400 * 30] as [Int64])
    func `presses get the time at which they were made, whatever the clock says`(
        _ ahead: Int64
    ) throws {
        var bench = try bench(ahead: ahead)
        bench.press(.make("1"))
        bench.press(.make("2", time: .age(seconds: 30)))
        bench.press(.make("3", time: .timestamp(UnixTime(Self.noon - 40))))
        try bench.commit { $0.press(.make("4", time: .timestamp(UnixTime(Self.noon + 90_000)))) }
        bench.pass(seconds: 100)
        expect(bench.sent.isEmpty, "Beeminder has not told the time")
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon + 100, 1_100))) }
        expect(bench.sent.isEmpty, "the repaired times are not on the disk")
        try bench.commit()
        try bench.commit { $0.press(.make("5")) }
        for number in 1...5 as ClosedRange<UInt64> {
            bench.deliver(SequenceNumber(number), .delivered(.created, datapoint: nil))
        }
        expect(
            bench.sent.map { $0.at.seconds - Self.noon }, is: [0, -30, -40, 0, 100],
            "by Beeminder's time")
        expect(bench.core.view.clockState(at: bench.now), is: .wrong(by: -ahead))
    }

    @Test(arguments: [-25_200, 86_400] as [Int64])
    func `days and waiting times are told by Beeminder's time, whatever the clock says`(
        _ ahead: Int64
    ) throws {
        var bench = try bench(ahead: ahead)
        try bench.commit { $0.press(.make("1")) }
        bench.pass(seconds: 100)
        expect(bench.core.view.oldestPendingSeconds(at: bench.now), is: 100)
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon + 100, 1_100))) }
        try bench.commit { $0.learn() }
        expect(bench.core.view.oldestPendingSeconds(at: bench.now), is: 100)
        expect(bench.core.view.dailyValues(days: 2, at: bench.now)[.known("pushups")], is: [0, 1])
    }

    @Test func `a right clock costs no record`() throws {
        var bench = try bench(ahead: 1)
        try bench.commit { $0.press(.make("1")) }
        bench.apply(.receivedTime(Self.time(Self.noon, 1_000)))
        expect(bench.appended.isEmpty)
        expect(bench.sent.map(\.at.seconds), is: [Self.noon + 1])
        expect(bench.core.view.clockState(at: bench.now), is: .right)
    }

    /// A suspended machine or a paused virtual one: the monotonic clock may have stopped, too.
    @Test(arguments: [0, 32_400] as [Double])
    func `presses keep their times while the machine is stopped`(_ monotonic: Double) throws {
        var bench = try bench(ahead: 0)
        bench.apply(.receivedTime(Self.time(Self.noon, 1_000)))
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        bench.now.wall = bench.now.wall.adding(32_400)
        bench.now.monotonic = bench.now.monotonic.adding(seconds: monotonic)
        bench.apply(.receivedTime(Self.time(Self.noon + 32_400, 1_000 + Int64(monotonic))))
        try bench.commit()
        bench.deliver(1, .delivered(.created, datapoint: nil))
        expect(bench.sent.map(\.at.seconds), is: [Self.noon, Self.noon])
    }

    @Test func `one answer with another time changes nothing, and two that agree do`() throws {
        var bench = try bench(ahead: 0)
        bench.apply(.receivedTime(Self.time(Self.noon, 1_000)))
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        bench.apply(.fetched(.unclear("no answer")))
        for wrong in [172_800, 0, -86_400, 0] {
            bench.apply(.receivedTime(Self.time(Self.noon + Int64(wrong), 1_000)))
            expect(bench.core.clock.isContested, is: (wrong != 0))
            try bench.commit()
            expect(bench.core.view.clockState(at: bench.now), is: .right)
        }
        bench.deliver(1, .delivered(.created, datapoint: nil))
        expect(bench.sent.map(\.at.seconds), is: [Self.noon, Self.noon])
        for seconds in [7_200, 7_201] as [Int64] {
            bench.apply(.receivedTime(Self.time(Self.noon + seconds, 1_000)))
        }
        expect(bench.core.view.clockState(at: bench.now), is: .wrong(by: 7_201))
    }

    @Test func `a clock that is set wrong is compared again before anything is sent`() throws {
        var bench = try bench(ahead: 0)
        bench.apply(.receivedTime(Self.time(Self.noon, 1_000)))
        bench.apply(.fetched(.unclear("no answer")))
        let fetches = bench.fetches
        bench.now.wall = bench.now.wall.adding(-7_200)
        try bench.commit { $0.press(.make("1")) }
        expect(bench.sent.isEmpty && bench.fetches > fetches)
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon, 1_000))) }
        try bench.commit()
        expect(bench.sent.map(\.at.seconds), is: [Self.noon])
    }

    @Test func `no delay is beyond all times`() {
        for seconds in [1e300, -1e300, .infinity, .nan, 9e18] {
            _ = Monotonic(milliseconds: .max).adding(seconds: seconds)
            _ = Monotonic(milliseconds: .min).adding(seconds: seconds)
        }
        expect(Monotonic(milliseconds: 1).adding(seconds: 1e300) > Monotonic(milliseconds: 1))
        expect(UnixTime(1).adding(.max).seconds, is: .max)
        expect(UnixTime(-2).adding(.min).seconds, is: .min)
    }

    @Test func `a clock that is believed for want of better is in doubt`() throws {
        var first = try CoreBench(now: Self.moment(Self.noon, 1_000))
        try first.commit { $0.press(.make("1")) }
        let now = Self.moment(Self.noon - 86_400, 1_000)
        try first.restart(now: now, asksUpstreamTime: true)
        expect(first.core.view.clockState(at: first.now), is: .unset)
        first.apply(.fetched(.unreachable("no network", isTimeout: false)))
        first.pass(seconds: 2_000)
        expect(first.core.view.clockState(at: first.now), is: .unset, "Beeminder was not reached")
        first.apply(.fetched(.noUser))
        first.pass(seconds: 901)
        expect(first.core.view.clockState(at: first.now), is: .doubtful(behind: 86_400 - 2_901))
        expect(!first.sent.isEmpty)
    }

    @Test func `questions that nobody answers do not hold presses for ever`() throws {
        var bench = try bench(ahead: 0)
        try bench.commit { $0.press(.make("1")) }
        for _ in 1...2 { bench.apply(.fetched(.unreachable("timed out", isTimeout: true))) }
        bench.apply(.fetched(.unreachable("no route", isTimeout: false)))
        expect(bench.sent.isEmpty)
        bench.apply(.fetched(.unreachable("timed out", isTimeout: true)))
        expect(bench.sent.count, is: 1)
    }

    @Test func `without a word about the time everything goes on as before`() throws {
        var bench = try bench(ahead: 0)
        try bench.commit { $0.press(.make("1")) }
        expect(bench.sent.isEmpty)
        bench.apply(.fetched(.noUser))
        expect(bench.sent.map(\.at.seconds), is: [Self.noon])
    }

    @Test func `nothing is sent before all times are right, those of the last moment too`() throws {
        var bench = try bench(ahead: -25_200)
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        // Press 3 is being written when Beeminder tells the time, and press 4 comes right after.
        bench.press(.make("3"))
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon, 1_000))) }
        bench.press(.make("4"))
        try bench.commit()
        expect(bench.sent.isEmpty, "the time of the third is not on the disk")
        try bench.commit()
        expect(!bench.sent.isEmpty)
        expect(bench.core.ledger.all.allSatisfy { $0.at.seconds == Self.noon })
    }

    @Test func `a press whose time was repaired counts today, beside later ones`() throws {
        var bench = try bench(ahead: -10 * 86_400)
        try bench.commit { $0.press(.make("1")) }
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon, 1_000))) }
        try bench.commit { $0.learn() }
        try bench.commit { $0.press(.make("2")) }
        expect(bench.core.view.overview(at: bench.now).goals.first?.today, is: 2)
    }

    /// The monotonic clock stops while a machine sleeps: it tells no more how long ago a press was.
    @Test(arguments: [0, -25_200])
    func `a time that was checked is not changed after a sleep`(_ ahead: Int64) throws {
        var bench = try bench(ahead: ahead)
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon, 1_000))) }
        try bench.commit()
        bench.now.wall = bench.now.wall.adding(32_400)
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon + 32_400, 1_000))) }
        try bench.commit()
        bench.deliver(1, .delivered(.created, datapoint: nil))
        expect(bench.sent.map(\.at.seconds), is: [Self.noon, Self.noon])
    }

    @Test func `presses get their times also after Beeminder has given none at first`() throws {
        var bench = try bench(ahead: -25_200)
        bench.apply(.fetched(.noUser))
        for id in ["1", "2"] { bench.press(.make(id)) }
        try bench.commit()
        expect(bench.sent.count, is: 1, "nothing waits for the time")
        bench.apply(.receivedTime(Self.time(Self.noon, 1_000)))
        bench.deliver(1, .delivered(.created, datapoint: nil))
        expect(bench.sent.count, is: 1, "another answer tells which time is right")
        bench.apply(.receivedTime(Self.time(Self.noon, 1_000)))
        try bench.commit()
        expect(bench.sent.last?.at.seconds, is: Self.noon)
    }

    @Test func `after a restart in the same boot times are repaired all the same`() throws {
        var bench = try bench(ahead: -25_200)
        try bench.commit { $0.press(.make("1")) }
        try bench.restart(now: bench.now, asksUpstreamTime: true)
        bench.pass(seconds: 500)
        for _ in 0..<2 { bench.apply(.receivedTime(Self.time(Self.noon + 500, 1_500))) }
        try bench.commit()
        expect(bench.sent.map(\.at.seconds), is: [Self.noon])
    }

    // MARK: Clocks that nobody has compared

    /// A bench whose clock is three days behind, before it was compared.
    private func behind() throws -> (CoreBench, today: Daystamp) {
        var before = try CoreBench()
        before.learn()
        let bench = try CoreBench(goals: before.core.goals, asksUpstreamTime: true)
        return (bench, CoreBench.today.adding(days: 3))
    }

    @Test func `a right day is taken while the clock is behind`() throws {
        var (bench, today) = try behind()
        let replyID = bench.total(.make(9_000, day: today))
        let press = try bench.commit { $0.press(.make("1", day: .on(today))) }
        expect(bench.word(replyID) == "queued" && bench.acceptance(press) != nil)
        expect(bench.sent.isEmpty)
        bench.pass(seconds: 10)
        for _ in 0..<2 {
            let right = bench.now.wall.adding(3 * 86_400)
            bench.apply(.receivedTime(UpstreamTime(right, at: bench.now.monotonic)))
        }
        try bench.commit()
        bench.pass(seconds: 10)
        try bench.commit { $0.deliver(1, .delivered(.created, datapoint: "d1")) }
        expect(bench.sent.map(\.daystamp), is: [today, today])
    }

    @Test func `presses of a clock that was never compared are told of`() throws {
        let right = UnixTime(1_760_000_000)
        var bench = try CoreBench(asksUpstreamTime: true)
        for _ in 0..<2 {
            bench.apply(.receivedTime(UpstreamTime(bench.now.wall, at: bench.now.monotonic)))
        }
        try bench.commit { $0.press(.make("good")) }
        let slow = Moment(wall: right.adding(3_600), monotonic: Monotonic(milliseconds: 0))
        try bench.restart(now: slow, asksUpstreamTime: true, boot: "b00u")
        bench.press(.make("1"))
        try bench.commit { $0.press(.make("2", day: .on(CoreBench.today))) }
        expect(bench.core.view.eventFaults(at: bench.now).doubtfulTimes.events == 0)
        let now = Moment(wall: right.adding(90_000), monotonic: Monotonic(milliseconds: 0))
        try bench.restart(now: now, asksUpstreamTime: true, boot: "b00v")
        expect(
            bench.core.view.eventFaults(at: bench.now).doubtfulTimes,
            is: DoubtfulTimes(events: 1, since: right))
        try bench.commit { $0.undo("1") }
        expect(bench.core.view.eventFaults(at: bench.now).doubtfulTimes.events == 0)
    }
}
