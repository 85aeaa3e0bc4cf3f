/// The memory budget for the incomplete content of all requests.
///
/// Reserves the declared length up front, so that an admitted request never waits in the middle.
/// Others wait in their own sockets. Unknown clients share a part of the budget, so that they never
/// keep a known device out.
struct BodyBudget: Sendable {
    /// The reservation of one request.
    struct Reservation: Sendable, Equatable {
        /// The maximum length of its content.
        var bytes: Int
        var account: Admission.Account
    }

    private let bytesInAll: Int
    private let bytesOfStrangers: Int
    private(set) var taken = 0
    private(set) var takenByStrangers = 0

    init(_ limits: Limits) {
        bytesInAll = limits.bodyBytesInAll
        bytesOfStrangers = limits.bodyBytesOfStrangers
    }

    /// Adds a reservation.
    ///
    /// - Returns: false when there is no room.
    mutating func take(_ reservation: Reservation) -> Bool {
        guard reservation.bytes <= bytesInAll - taken else { return false }
        if case .stranger = reservation.account {
            guard reservation.bytes <= bytesOfStrangers - takenByStrangers else { return false }
            takenByStrangers += reservation.bytes
        }
        taken += reservation.bytes
        return true
    }

    /// Releases a reservation.
    mutating func leave(_ reservation: Reservation) {
        taken -= reservation.bytes
        if case .stranger = reservation.account { takenByStrangers -= reservation.bytes }
        precondition(taken >= 0 && takenByStrangers >= 0, "a seat was left twice")
    }
}
