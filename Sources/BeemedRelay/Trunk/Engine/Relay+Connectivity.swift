import BeemedDomain
import RelayHTTP

extension Relay {
    /// Retries waiting deliveries at once when a network comes back. Called on the loop.
    package nonisolated func networkCameBack() {
        assumeIsolated { relay in
            relay.log.info("a network has come back", [])
            relay.engine.process(.reachable)
            relay.finishTurn()
            // What follows may be due: this comes behind the relay's own turn.
            relay.loop.post {}
        }
    }
}
