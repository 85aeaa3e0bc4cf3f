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
        receive(client, slot, isBroken: false)
        client.connection.drain()
        // The system may take all, and send it after the process.
        Socket.setUnsentBytes(of: client.descriptor.number, 0)
        write(client)
        if client.connection.isWaiting { endWait(slot, client) }
        proceed(slot, client, now)
        settle(slot, client, now)
    }
}

/// Eviction of connections, and requests that wait for an event.
extension Server {
    /// Makes room for one more connection. Closes a silent connection first, then the one whose
    /// request has waited longest for an event. A connection whose request is in work is never
    /// closed; one that sends a request or reads an answer counts as silent some seconds later
    /// (`Connection.evictionGrace`). An address that has more than half of all connections gives
    /// way first, so that one client cannot drive out all others.
    ///
    /// - Returns: whether there is room now.
    func evict(now: Instant) -> Bool {
        if let crowd = table.crowdedAddress, evict(of: crowd, now: now) { return true }
        return evict(of: nil, now: now)
    }

    /// - Parameter address: only connections of this address may be closed, if given.
    func evict(of address: Address?, now: Instant) -> Bool {
        if let slot = table.quietest(of: address, now: now) {
            remove(slot)
            return true
        }
        guard let slot = table.longestWaiting(of: address), let client = table[slot] else {
            return false
        }
        endWait(slot, client)
        remove(slot)
        return true
    }

    /// Ends the wait of a request with the answer that it gets at its timeout.
    func endWait(_ slot: Int, _ client: ClientSocket) {
        let id = ExchangeID(slot: slot, generation: client.generation)
        guard let answer = application.endWait(id) else { return }
        give(answer)
        write(client)
    }

    /// Closes a connection and ends any wait on it.
    func remove(_ slot: Int) {
        guard let client = table[slot] else { return }
        if client.connection.tellsEnd {
            _ = application.endWait(ExchangeID(slot: slot, generation: client.generation))
        }
        table.remove(slot)
    }
}

/// Requests in order of arrival, removed from the front a few at a time.
struct ExchangeQueue {
    private var list: [Exchange] = []
    /// The number of requests already removed.
    private var taken = 0

    var isEmpty: Bool { list.isEmpty }

    mutating func add(_ exchange: Exchange) {
        list.append(exchange)
    }

    /// Removes and returns at most this many requests.
    mutating func take(_ most: Int) -> [Exchange] {
        let end = min(list.count, taken + most)
        defer {
            taken = end
            if taken == list.count || taken > 1_024 {
                list.removeSubrange(..<taken)
                taken = 0
            }
        }
        return Array(list[taken..<end])
    }
}
