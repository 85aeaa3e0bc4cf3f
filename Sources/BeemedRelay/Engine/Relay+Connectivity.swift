import BeemedDomain

extension Relay {
    /// A network has come back: what waits for its next attempt need not wait. On the loop.
    nonisolated func networkCameBack() {
        assumeIsolated { relay in
            relay.log.info("a network has come back", [])
            relay.apply(.flushRequested)
            relay.finishTurn()
        }
    }
}
