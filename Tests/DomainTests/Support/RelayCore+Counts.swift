@testable import BeemedDomain

/// Counts that only tests ask for.
extension RelayCore {
    /// The number of known events.
    var knownEvents: Int { ledger.count }

    /// The number of datapoints to be deleted at Beeminder.
    var erasingEvents: Int { ledger.erasingCount }

    /// The number of events that wait for the relay's clock to be set.
    var untimedEvents: Int { waits.count(for: .clock) }
}
