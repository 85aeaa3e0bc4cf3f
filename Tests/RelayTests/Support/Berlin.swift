import Foundation

@testable import BeemedDomain

/// The days of a user in Berlin who has no goals.
enum Berlin {
    /// 2026-11-22, noon.
    static let noon = UnixTime(1_795_345_200)

    static func calendar(_ zone: String = "Europe/Berlin") throws -> GoalCalendar {
        let book = try JSONDecoder().decode(
            GoalBook.self, from: Data("{\"timezone\":\"\(zone)\"}".utf8))
        return GoalCalendar(book, nil, hasNoUser: false)
    }
}
