import Testing

@testable import BeemedDomain

/// Goals that are not in the list.
struct GoalQuestionsTests {
    private let now = Monotonic(milliseconds: 1_000)

    private func question(_ id: UInt64, until seconds: Double) -> GoalQuestions.Question {
        GoalQuestions.Question(
            subject: .goal, goal: .known("tea"), replyID: ReplyID(id),
            until: now.adding(seconds: seconds))
    }

    @Test func `a doubt that comes while the goals are asked for is not put off for long`() {
        var refresh = GoalRefresh()
        let now = Monotonic(milliseconds: 1_000_000)
        for _ in 0..<GoalRefresh.maxDoubts {
            refresh.doubt(at: now)
            _ = refresh.start(at: now)
            refresh.succeed(at: now, isBusy: false)
        }
        refresh.askNow()
        let isStarted = refresh.start(at: now)
        refresh.doubt(at: now)
        refresh.succeed(at: now, isBusy: false)
        expect(isStarted && refresh.wantsAll)
        expect(refresh.wake, is: now.adding(seconds: GoalRefresh.notBefore))
    }

    @Test func `those that have waited too long are taken, in order`() {
        let questions = GoalQuestions()
        for id in 1...3 as ClosedRange<UInt64> {
            questions.add(question(id, until: Double(id)))
        }
        expect(questions.nextEnd, is: now.adding(seconds: 1))
        let none = questions.take(until: now)
        let late = questions.take(until: now.adding(seconds: 2))
        expect(none.isEmpty && late.map(\.replyID) == [ReplyID(1), ReplyID(2)])
        expect(questions.nextEnd, is: now.adding(seconds: 3))
    }

    @Test func `a device cannot fill the list of unlisted goals`() {
        let questions = GoalQuestions()
        for number in 1...100 { questions.allow(.known("goal\(number)")) }
        expect(questions.unlisted.count, is: GoalQuestions.maxUnlisted)
        expect(questions.hasRoom(for: .known("goal1")) && !questions.hasRoom(for: .known("tea")))
        questions.processList { $0 == .known("goal2") }
        expect(questions.unlisted, is: [.known("goal2")])
    }
}
