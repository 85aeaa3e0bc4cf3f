/// The end of a server: what was read is answered.
extension Server {
    /// Stops accepting, answers all requests read so far, then closes every connection. A client
    /// that has not read its answer after `Timeouts.drain` is cut off.
    ///
    /// - Parameter done: called once, when the last connection is closed.
    package func drain(done: @escaping @Sendable () -> Void) {
        let now = Instant.now
        if listener != nil {
            acceptAll(now)  // They connected before the shutdown.
            setAccepting(false)
        }
        listener = nil
        drained = done
        let end = now.advanced(bySeconds: limits.timeouts.drain)
        drainEnd = end
        nextSweep = min(nextSweep ?? end, end)
        for slot in table.slots { finishInput(slot, now) }
        loop.post {}
    }

    /// Closes the connections that wait for their clients, and not for an answer.
    func removeReaders() {
        for slot in table.slots where table[slot]?.connection.waitsForAnswer == false {
            remove(slot)
        }
    }

    /// Reads once more what a client sent before it could know of the shutdown.
    private func finishInput(_ slot: Int, _ now: Instant) {
        guard let client = table[slot] else { return }
        read(client, slot, isBroken: false)
        client.connection.drain()
        // The system may take all, and send it after the process.
        Socket.setUnsentBytes(of: client.descriptor.number, 0)
        write(client)
        if client.connection.isWaiting { endWait(slot, client) }
        proceed(slot, client, now)
        settle(slot, client, now)
    }
}
