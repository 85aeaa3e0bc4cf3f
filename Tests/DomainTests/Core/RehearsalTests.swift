import Testing

@testable import BeemedDomain

/// A dry run comes to what the press itself would come to, and leaves nothing behind.
struct RehearsalTests {
    private func rule(interval: Int64? = nil, daily: Bool = false) throws -> PresetOptions {
        PresetOptions(
            preset: try require(PresetName("glass")), minimumInterval: interval, oncePerDay: daily)
    }

    /// In words, so that the two can be compared.
    private func words(_ reply: Reply?) -> String {
        switch reply {
        case .accepted(let acceptance):
            words(acceptance.isDuplicate, acceptance.state, acceptance.event)
        case .refused(let refusal): words(refusal)
        case .changed, .usable, .total, nil: "nothing of the kind"
        }
    }

    private func words(_ refusal: Refusal) -> String {
        switch refusal {
        case .unknownGoal(let goal, let suggestion): "no \(goal), \(suggestion as Any)"
        case .unusableTime(let fault): "\(fault)"
        case .needsValue(let goal, let why): "\(goal) \(why)"
        case .conflict: "conflict"
        case .timeAsValue(let unit): "\(unit)"
        case .notConnected: "not connected"
        case .diskFull, .tooManyWaiting, .tooManyUnsent, .tooManyRefused: "full"
        case .unknownEvent, .notPossible, .dayTaken: "nothing of the kind"
        }
    }

    private func words(_ rehearsed: RelayCore.Rehearsed) -> String {
        switch rehearsed {
        case .refused(let refusal): words(refusal)
        case .accepted(let event, let state, let isDuplicate):
            words(isDuplicate, state, event)
        }
    }

    /// Without an account that answers, what is queued is soon on its way.
    private func words(_ isDuplicate: Bool, _ state: EventState, _ event: Event) -> String {
        "\(isDuplicate) \(state == .sending ? .queued : state) \(event.at.seconds)"
    }

    private func presses() throws -> [Press] {
        let now: Int64 = 1_760_000_000
        return [
            .make("1"), .make("1"), .make("1", value: 2), .make(nil), .make("2", goal: "pushpus"),
            .make("3", time: .age(seconds: -5)),
            .make("4", time: .timestamp(UnixTime(now * 1_000))),
            .make("5", time: .timestamp(UnixTime(now + 9_000))),
            .make("6", time: .timestamp(UnixTime(now - 40 * 86_400))),
            .make("7", rule: try rule(daily: true)), .make("8", rule: try rule(daily: true)),
            .make("9", day: .ago(days: 40)), .make("10", day: .ago(days: 3)),
        ]
    }

    private func bench() throws -> CoreBench {
        var goals = GoalBook()
        goals.replace(
            [Goal(slug: .known("pushups"))], user: "alice", at: UnixTime(1_760_000_000))
        return try CoreBench(heldBytes: 4_000, goals: goals, token: .unknown)
    }

    @Test func `comes to what the presses themselves come to`() throws {
        var real = try bench()
        let dry = try bench()
        let version = dry.core.version
        var rehearsal = RelayCore.Rehearsal()
        for press in try presses() {
            let replyID = try real.commit { $0.press(press) }
            let rehearsed = dry.core.rehearse(press, at: dry.now, &rehearsal)
            expect(words(rehearsed), is: words(real.replies[replyID]), "\(press)")
        }
        expect(dry.appended.isEmpty)
        expect(dry.core.version, is: version)
        expect(dry.core.knownEvents, is: 0)
    }

    @Test func `joins the presses of one dry run as it joins those that are sent`() throws {
        var goals = GoalBook()
        goals.replace(
            [
                Goal(slug: .known("pushups")),
                Goal(slug: .known("soon"), losedate: 1_760_000_000 + 800),
            ], user: "alice", at: UnixTime(1_760_000_000))
        var real = try CoreBench(goals: goals)
        let dry = try CoreBench(goals: goals)
        let preset = try require(PresetName("tally"))
        let rule = PresetOptions(preset: preset, mergeSeconds: 600)
        let early = PressTime.age(seconds: 2 * 86_400)
        let presses: [Press] = [
            .make("1", rule: rule), .make("2", rule: rule), .make(nil, rule: rule),
            .make("3", time: early, rule: rule), .make("4", time: early, rule: rule),
            .make("5", rule: rule), .make("6", rule: rule),
            // There is no window so shortly before a goal derails.
            .make("7", goal: "soon", rule: rule), .make("8", goal: "soon", rule: rule),
        ]
        var rehearsal = RelayCore.Rehearsal()
        var states: [String] = []
        for press in presses {
            let replyID = try real.commit { $0.press(press) }
            let rehearsed = words(dry.core.rehearse(press, at: dry.now, &rehearsal))
            expect(rehearsed, is: words(real.replies[replyID]), "\(press)")
            states.append(String(rehearsed.split(separator: " ")[1]))
        }
        expect(
            states,
            is: [
                "queued", "merged", "merged", "queued", "merged", "queued", "merged", "queued",
                "queued",
            ])
        expect(!dry.core.view.hasOpenWindows)
    }

    @Test func `is refused when nothing can be taken`() throws {
        var full = try CoreBench(heldBytes: 1)
        try full.commit { $0.press(.make("0")) }
        var rehearsal = RelayCore.Rehearsal()
        expect(words(full.core.rehearse(.make(), at: full.now, &rehearsal)), is: "full")
        full.apply(.disconnected)
        expect(words(full.core.rehearse(.make(), at: full.now, &rehearsal)), is: "not connected")
    }

    @Test func `refuses a goal that was denied a moment before Beeminder fell silent`() throws {
        var bench = try CoreBench(token: .unknown)
        try bench.commit { $0.learn([Goal(slug: .known("pushups"))]) }
        let first = bench.press(.make("1", goal: "tea"))
        bench.learn([Goal(slug: .known("pushups"))])
        expect(words(bench.replies[first]).hasPrefix("no tea"))
        bench.apply(.fetched(.unreachable("down", isTimeout: false)))
        var rehearsal = RelayCore.Rehearsal()
        let dry = words(bench.core.rehearse(.make("1", goal: "tea"), at: bench.now, &rehearsal))
        let again = bench.press(.make("1", goal: "tea"))
        expect(dry, is: words(bench.replies[again]))
        expect(dry.hasPrefix("no tea"))
        bench.pass(seconds: 16)
        let later = words(bench.core.rehearse(.make("1", goal: "tea"), at: bench.now, &rehearsal))
        expect(later.hasPrefix("false queued"))
    }

    @Test func `sees the presses that are there already`() throws {
        var bench = try bench()
        try bench.commit { $0.press(.make("1", rule: try rule(interval: 60))) }
        var rehearsal = RelayCore.Rehearsal()
        let soon = bench.core.rehearse(
            .make("2", rule: try rule(interval: 60)), at: bench.now, &rehearsal)
        expect(words(soon).contains("guarded"))
        let again = bench.core.rehearse(
            .make("1", rule: try rule(interval: 60)), at: bench.now, &rehearsal)
        expect(words(again).hasPrefix("true"))
    }

    @Test(
        arguments: [
            (60, nil), (601, .ahead), (-35 * 86_400, nil), (-35 * 86_400 - 1, .old),
            (-1_759_000_000, .unset),
        ] as [(Int64, TimeReplacement?)])
    func `knows why a time was replaced`(_ distance: Int64, _ why: TimeReplacement?) throws {
        var bench = try CoreBench()
        let time = PressTime.timestamp(bench.now.wall.adding(distance))
        let replyID = try bench.commit { $0.press(.make(time: time)) }
        let event = try require(bench.acceptance(replyID)?.event)
        expect(TimeRules.replacement(of: time, in: event), is: why)
        expect(TimeRules.replacement(of: .now, in: event) == nil)
        expect((event.at == bench.now.wall) == (why != nil))
    }

    @Test func `looks for no similar name where none is wanted`() throws {
        var bench = try bench()
        var press = Press.make("1", goal: "pushup")
        bench.learn()
        var rehearsal = RelayCore.Rehearsal()
        let first = bench.core.rehearse(press, at: bench.now, &rehearsal)
        press.wantsSuggestion = false
        let second = bench.core.rehearse(press, at: bench.now, &rehearsal)
        expect(words(first).contains("pushups"))
        expect(words(second), is: "no pushup, nil")
    }
}
