/// The ends of a server, of connections, and of requests that are held.
extension Server {
    /// Stops accepting, answers all requests read so far, then closes every connection. A client
    /// that has not read its answer after `Timeouts.drain` is cut off.
    ///
    /// - Parameter done: called once, when the last connection is closed.
    package func drain(done: @escaping @Sendable () -> Void) {
        let now = Instant.now
        acceptAll(now)  // They connected before the shutdown.
        setAccepting(false)
        port?.close()
        port = nil
        drained = done
        let end = now.advanced(bySeconds: limits.timeouts.drain)
        drainEnd = end
        nextSweep = min(nextSweep ?? end, end)
        for client in table.all where table.holds(client) { finishInput(client, now) }
        loop.post {}
    }

    /// Reads once more what a client sent before it could know of the shutdown.
    private func finishInput(_ client: ClientSocket, _ now: Instant) {
        receive(client, isBroken: false)
        client.connection.drain()
        // The system may take all, and send it after the process.
        Socket.setUnsentBytes(of: client.descriptor.number, 0)
        write(client)
        if client.connection.isHeld { endWait(client) }
        proceed(client, now)
        settle(client, now)
    }

    /// Makes room for one more connection: closes the one whose peer has been silent longest. A
    /// connection whose request is in work or held is never closed; one that sends a request or
    /// reads an answer counts as silent some seconds later (`Connection.evictionGrace`). Returns
    /// whether there is room now.
    func evict(now: Instant) -> Bool {
        guard let client = table.quietest(now: now) else { return false }
        remove(client)
        return true
    }

    /// Ends a held request early, with the answer that the application has for that.
    func endWait(_ client: ClientSocket) {
        guard let answer = application.endWait(client.id) else { return }
        give(answer)
        write(client)
    }

    /// Closes a connection, and tells the application if that ends a request or an answer.
    func remove(_ client: ClientSocket) {
        guard table.holds(client) else { return }
        if client.connection.tellsEnd { _ = application.endWait(client.id) }
        table.remove(client)
    }
}
