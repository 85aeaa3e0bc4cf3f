#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bounds of days, cached for each deadline: displays ask for them repeatedly.
struct DayBounds: Sendable {
    private var zone = TimeZone(secondsFromGMT: 0) ?? .current
    private var name: String?
    private var known: [Int: Range<UnixTime>] = [:]

    /// The day around a moment, for a goal of a user in that time zone; in UTC without a time zone.
    mutating func around(
        _ time: UnixTime, deadline: Int?, timezone: String?
    ) -> Range<UnixTime> {
        if timezone != name {
            name = timezone
            zone =
                timezone.flatMap { TimeZone(named: $0) } ?? TimeZone(secondsFromGMT: 0) ?? zone
            known.removeAll()
        }
        let deadline = deadline ?? 0
        if let bounds = known[deadline], bounds.contains(time) { return bounds }
        let bounds = GoalDay(zone: zone, deadline: deadline).bounds(around: time)
        known[deadline] = bounds
        return bounds
    }
}
