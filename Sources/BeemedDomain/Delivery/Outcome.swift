/// What came of sending one event to Beeminder, told apart by what is to be done about it.
package enum Outcome: Sendable, Equatable {
    /// Beeminder has it.
    case delivered(Delivered, datapoint: String?)
    /// A datapoint that was to be deleted is not there any more, or never was.
    case erased
    /// It may have arrived or not: the answer made no sense, or Beeminder is in trouble with it.
    /// To send the same bytes again is safe, by the request id.
    case unclear(String)
    /// No answer came at all. Whether it arrived is just as unclear, but the trouble is the way
    /// there, so it is everybody's.
    case unreachable(String)
    /// The remote asks everybody to wait so many seconds; nil when it does not say.
    case busy(retryAfter: Double?)
    /// This event will never be taken. It must not hold up the others.
    case refused(status: Int, why: String)
    /// The account's token is not taken any more.
    case unauthorized
    /// There is no such goal, or not any more.
    case noSuchGoal
    /// Something else than Beeminder answers at the address.
    case misdirected(String)
}
