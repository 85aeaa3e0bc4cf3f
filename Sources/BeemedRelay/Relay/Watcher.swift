import BeemedDomain
import RelayHTTP

/// A client that waits for the context to change.
struct Watcher {
    var exchange: ExchangeID
    var view: ContextView
    /// The ETags that it has.
    var condition: String?
    var until: Monotonic
}
