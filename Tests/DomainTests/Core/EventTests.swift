import Testing

@testable import BeemedDomain

/// Names, times and goals: what is believed of what a device says.
struct EventTests {
    struct Time: Sendable, CustomTestStringConvertible {
        var name: String
        var time: PressTime
        var at: Int64 = 0
        var source = TimeSource.receipt
        var fault: TimeFault?
        var testDescription: String { name }
    }

    static let now: Int64 = 1_760_000_000

    static let times: [Time] = [
        Time(name: "nothing", time: .now, at: now),
        Time(
            name: "a time in the past", time: .timestamp(UnixTime(1_759_000_000)),
            at: 1_759_000_000, source: .device),
        Time(
            name: "the oldest time believed", time: .timestamp(UnixTime(now - 35 * 86_400)),
            at: now - 35 * 86_400, source: .device),
        Time(name: "an older one", time: .timestamp(UnixTime(now - 35 * 86_400 - 1)), at: now),
        Time(name: "a time before it", time: .timestamp(UnixTime(1_704_067_199)), at: now),
        Time(name: "1970", time: .timestamp(UnixTime(12)), at: now),
        Time(name: "a time before 1970", time: .timestamp(UnixTime(-5)), at: now),
        Time(
            name: "ten minutes ahead", time: .timestamp(UnixTime(now + 600)), at: now + 600,
            source: .device),
        Time(name: "more than that", time: .timestamp(UnixTime(now + 601)), at: now),
        Time(name: "milliseconds", time: .timestamp(UnixTime(now * 1_000)), fault: .milliseconds),
        Time(
            name: "the digits of today", time: .timestamp(UnixTime(20_251_009)), fault: .digitsOfDay
        ),
        Time(
            name: "those of a month ago", time: .timestamp(UnixTime(20_250_904)),
            fault: .digitsOfDay),
        Time(name: "those of a year ago", time: .timestamp(UnixTime(20_241_009)), at: now),
        Time(name: "those of no day", time: .timestamp(UnixTime(20_251_032)), at: now),
        Time(name: "an age of nothing", time: .age(seconds: 0), at: now, source: .age),
        Time(name: "an age", time: .age(seconds: 90), at: now - 90, source: .age),
        Time(
            name: "the greatest age", time: .age(seconds: 35 * 86_400), at: now - 35 * 86_400,
            source: .age),
        Time(name: "a greater age", time: .age(seconds: 35 * 86_400 + 1), fault: .age),
        Time(name: "an age in the future", time: .age(seconds: -1), fault: .age),
        Time(name: "an age without end", time: .age(seconds: .max), fault: .age),
    ]

    @Test(arguments: times) func `fixes the time of a press that says`(_ row: Time) {
        let moment = Moment(wall: UnixTime(EventTests.now), monotonic: Monotonic(milliseconds: 7))
        let result = Result { () throws(TimeFault) in
            let time = try TimeRules.time(of: row.time, at: moment.wall, isSound: true)
            return Press.make(time: row.time).event(.known("1"), time, at: moment, boot: "b")
        }
        switch result {
        case .success(let event):
            expect(row.fault == nil)
            expect(event.at, is: UnixTime(row.at))
            expect(event.timeSource, is: row.source)
            expect(event.arrival.monotonic, is: moment.monotonic)
        case .failure(let fault): expect(fault, is: row.fault)
        }
    }

    @Test(arguments: [
        ("pushups", true), ("a", true), ("A-b_9", true), (String(repeating: "x", count: 64), true),
        ("", false), ("a b", false), ("a/b", false), ("a.b", false), ("ä", false), ("a\n", false),
        ("../x", false), (String(repeating: "x", count: 65), false), ("a%20", false),
    ])
    func `takes a slug or not`(_ text: String, _ isSlug: Bool) {
        expect((GoalSlug(text) != nil) == isSlug)
    }

    @Test(arguments: [
        ("9f3c-17", true), ("a.b:c_d", true), (String(repeating: "x", count: 64), true),
        ("", false), ("a b", false), ("a/b", false), ("é", false), ("\0", false),
        (String(repeating: "x", count: 65), false),
    ])
    func `takes an id or not`(_ text: String, _ isID: Bool) {
        expect((EventID(text) != nil) == isID)
    }

    @Test func `makes no two keys one request id`() {
        let pairs = [("a", "b.c"), ("a-b", "c"), ("a", "b-c"), ("a", "b:c"), ("b", "a.c")]
        let ids = pairs.map {
            EventKey(device: .known($0.0), id: .known($0.1)).requestID
        }
        expect(Set(ids).count, is: pairs.count)
        expect(DeviceName("a.b") == nil)
    }

    // MARK: Goals

    private func book(_ slugs: String...) -> GoalBook {
        var book = GoalBook()
        book.replace(
            slugs.map { Goal(slug: .known($0)) }, user: "alice", at: UnixTime(1_760_000_000))
        return book
    }

    @Test(
        arguments: [
            ("pushup", "pushups"), ("pushpus", "pushups"), ("PUSHUPS", "pushups"),
            ("wtaer", "water"),
            ("watr", "water"), ("reading", nil), ("x", nil), ("zzzzzzzz", nil),
        ] as [(String, String?)])
    func `suggests the goal that was meant`(_ slug: String, _ meant: String?) {
        let found = book("water", "pushups", "meditation").suggestion(for: .known(slug))
        expect(found?.description, is: meant)
    }

    @Test func `suggests nothing from an empty book`() {
        expect(GoalBook().suggestion(for: .known("water")) == nil)
        expect(!GoalBook().isKnown)
    }

    @Test func `sorts goals by urgency, and those without by name`() {
        var book = GoalBook()
        book.replace(
            [
                Goal(slug: .known("b")), Goal(slug: .known("late"), urgencykey: "FROx;0009"),
                Goal(slug: .known("a")), Goal(slug: .known("soon"), urgencykey: "FROx;0001"),
            ], user: "alice", at: UnixTime(1_760_000_000))
        expect(book.goals.map(\.slug), is: ["soon", "late", "a", "b"])
        expect(book[.known("late")]?.slug, is: "late")
        expect(book[.known("none")] == nil)
    }

    @Test(
        arguments: [
            (nil, Urgency.safe), (-5, .critical), (86_399, .critical), (86_400, .warning),
            (259_199, .warning), (259_200, .safe),
        ] as [(Int64?, Urgency)])
    func `says how soon a goal derails`(_ seconds: Int64?, _ urgency: Urgency) {
        let now = UnixTime(EventTests.now)
        let goal = Goal(slug: .known("a"), losedate: seconds.map { $0 + EventTests.now })
        expect(goal.urgency(at: now), is: urgency)
    }
}
