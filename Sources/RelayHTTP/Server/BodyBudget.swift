/// The room for the content of all requests that has not all come.
///
/// Whoever is let in is sure of as many bytes as were declared, so nobody waits in the middle;
/// the others wait in their own sockets. Strangers share a part of it, so that a crowd of them
/// never keeps a device out.
struct BodyBudget: Sendable {
    /// What one request was promised.
    struct Reservation: Sendable, Equatable {
        /// The most that its content can grow to.
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

    /// Takes a reservation.
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

    /// Gives a reservation back.
    mutating func leave(_ reservation: Reservation) {
        taken -= reservation.bytes
        if case .stranger = reservation.account { takenByStrangers -= reservation.bytes }
        precondition(taken >= 0 && takenByStrangers >= 0, "a seat was left twice")
    }
}
