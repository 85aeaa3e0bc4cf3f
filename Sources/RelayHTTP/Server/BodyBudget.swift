/// The memory budget for the incomplete content of all requests.
///
/// Reserves the declared length up front, so that an admitted request never waits in the middle.
/// Others wait in their own sockets. Unknown clients share a part of the budget, so that they never
/// keep a known device out, and each address has at most a part, which leaves room to others: with
/// its further contents never more than three times the free room (dynamic thresholds; Choudhury
/// and Hahne, 1998), so that two addresses cannot hold all of it.
struct BodyBudget: Sendable {
    struct Reservation: Sendable, Equatable {
        /// The maximum length of its content.
        var bytes: Int
        var account: Admission.Account
        /// The origin of the content: the client's address, also behind a proxy.
        var address: Address
    }

    private let limits: Limits
    private(set) var taken = 0
    private(set) var takenByStrangers = 0
    private var takenByAddress: [Address: Int] = [:]

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Adds a reservation.
    ///
    /// - Returns: false when there is no room.
    mutating func reserve(_ reservation: Reservation) -> Bool {
        let bytes = reservation.bytes
        let ofAddress = takenByAddress[reservation.address, default: 0]
        let room = limits.bodyBytesInAll - taken
        let most = min(limits.bodyBytesPerAddress, 3 * room)
        guard bytes <= room, ofAddress == 0 || bytes <= most - ofAddress else { return false }
        if reservation.account == .stranger {
            guard bytes <= limits.bodyBytesOfStrangers - takenByStrangers else { return false }
            takenByStrangers += bytes
        }
        taken += bytes
        takenByAddress[reservation.address] = ofAddress + bytes
        return true
    }

    mutating func release(_ reservation: Reservation) {
        taken -= reservation.bytes
        if reservation.account == .stranger { takenByStrangers -= reservation.bytes }
        let rest = takenByAddress[reservation.address, default: 0] - reservation.bytes
        takenByAddress[reservation.address] = rest == 0 ? nil : rest
        precondition(taken >= 0 && takenByStrangers >= 0, "a reservation was released twice")
    }
}
