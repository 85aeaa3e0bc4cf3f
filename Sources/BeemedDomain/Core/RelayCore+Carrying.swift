/// States events again, so that the journal can retire the segment with their earlier statements.
/// The statements are records like all others and come with batches, some at a time: nothing else
/// writes the journal, no segment is rewritten, and no press waits for all of them.
extension RelayCore {
    /// The bytes of lines that are stated again with one batch, about: a press may wait for them.
    static let carriedBytes = 1 << 16

    /// The same where space is short: a burst of presses must not be faster than what makes room.
    static let shortCarriedBytes = 1 << 20

    /// How many settled events stay known without room for more: devices repeat the newest ones.
    static let fewestSettled = 100

    /// States the next of the events that the journal names, and the folder's user. When the
    /// records are durable, the journal asks for more.
    package func carry(_ request: CarryRequest, _ effects: inout Effects) {
        guard !ledger.isCarrying else { return }
        if let user = account.user, let record = account.statedAt, record < request.before,
            !commits.isUserChanging
        {
            journal(.user(user), isUrgent: false, &effects)
        }
        let changing = commits.changing
        let isShort = request.forgetsSettled
        let most = isShort ? RelayCore.shortCarriedBytes : RelayCore.carriedBytes
        var (bytes, looks) = (0, isShort ? .max : Ledger.maxLooks)
        while bytes < most,
            let number = ledger.nextToState(before: request.before, changing: changing, &looks)
        {
            if isShort, ledger.settledCount > RelayCore.fewestSettled,
                ledger.forgetLeader(number)
            {
                continue
            } else if let statement = ledger.state(number) {
                journal(.carried(statement), isUrgent: false, &effects)
                bytes += statement.event.lineBytes
            }
        }
    }
}
