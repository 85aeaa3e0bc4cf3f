/// The days of all goals at one moment, for work off the loop: exports and imports.
package struct GoalCalendar: Sendable {
    private let book: GoalBook
    /// The folder's user; nil before Beeminder has named one.
    private let user: FolderUser?
    private var zone: Zone { book.zone ?? .utc }
    /// Whether the user's time zone is known; UTC until then.
    package let isZoneKnown: Bool

    /// - Parameter hasNoUser: whether Beeminder names no user, as a test server may: its days are
    ///   those of UTC.
    init(_ book: GoalBook, _ user: FolderUser?, hasNoUser: Bool) {
        self.book = book
        self.user = user
        isZoneKnown = book.zone != nil || hasNoUser
    }

    /// The goal's day around a moment; in UTC while the user's time zone is unknown.
    package func day(of goal: GoalSlug, at time: UnixTime) -> Daystamp {
        Daystamp(number: book.days(of: goal).number(of: time))
    }

    /// The moment of a local time on a calendar day of the user.
    ///
    /// - Parameter second: seconds after midnight.
    package func moment(on day: Daystamp, second: Int64) -> UnixTime {
        let local = day.number * 86_400 + second
        return UnixTime(local - zone.offset(at: local - zone.offset(at: local)))
    }

    /// The moment of a local time within a goal's day. That of a goal with a deadline at 15:00
    /// begins on the evening before, so 17:00 is on the calendar day before, and with a deadline at
    /// 3:00 in the night 1:00 is on the one after.
    ///
    /// - Parameter second: seconds after midnight.
    package func moment(in day: Daystamp, of goal: GoalSlug, second: Int64) -> UnixTime {
        for shift in [-1, 0, 1] as [Int64] {
            let moment = moment(on: day.adding(days: shift), second: second)
            if self.day(of: goal, at: moment) == day { return moment }
        }
        return moment(on: day, second: second)
    }

    /// The user's local time, as seconds since 1970 would count it without a time zone.
    package func localSeconds(_ time: UnixTime) -> Int64 {
        time.seconds + zone.offset(at: time.seconds)
    }

    /// The user's calendar day of a moment.
    package func day(at time: UnixTime) -> Daystamp {
        Daystamp(number: localSeconds(time) / 86_400)
    }

    /// The goal's current name; a goal that was renamed has former ones.
    package func current(_ goal: GoalSlug) -> GoalSlug { book.current(goal) }

    /// All names of a goal, the current one first.
    package func names(of goal: GoalSlug) -> [String] { book.names(of: goal) }

    /// The user for whom an event was accepted; nil for a former user's.
    package func user(of event: SequenceNumber) -> String? {
        user.flatMap { $0.has(event) ? $0.name : nil }
    }

    /// The datapoints from other sources that Beeminder reported lately.
    package func datapointsElsewhere(of goal: GoalSlug) -> [GoalDatapoint] {
        book[book.current(goal)]?.elsewhere ?? []
    }
}

extension CoreView {
    /// The days and recent datapoints of the connected user's goals.
    package var calendar: GoalCalendar {
        GoalCalendar(
            core.areGoalsOwn ? core.goals : GoalBook(), core.account.user,
            hasNoUser: core.account.isNameless)
    }

    /// The same, or the days of the folder's user until Beeminder has said whose the token is:
    /// mostly they are the same, and what a device sends meanwhile needs a day.
    package var lastCalendar: GoalCalendar {
        GoalCalendar(core.goals, core.account.user, hasNoUser: core.account.isNameless)
    }
}
