/// Connections that give way to others, and requests that wait for something to happen.
extension Server {
    /// Makes room for one more connection, first at the expense of the silent, then of the request
    /// that has waited longest for something to happen. Those whose request is being worked on, or
    /// whose answer is on its way, are left alone.
    ///
    /// - Parameter address: the only one whose connections may be closed for it, if any.
    /// - Returns: whether there is room now.
    func makeRoom(of address: Address? = nil, now: Instant) -> Bool {
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

    /// Answers the request that waits on this connection, as it would be when its time was over.
    func endWait(_ slot: Int, _ client: ClientSocket) {
        let id = ExchangeID(slot: slot, generation: client.generation)
        guard let answer = application.endWait(id) else { return }
        give(answer)
        write(client)
    }

    /// Closes a connection; what waited there need not wait any longer.
    func remove(_ slot: Int) {
        guard let client = table[slot] else { return }
        if client.connection.isWaiting {
            _ = application.endWait(ExchangeID(slot: slot, generation: client.generation))
        }
        table.remove(slot)
    }
}

/// Requests in the order they came, taken from its beginning a few at a time.
struct ExchangeQueue {
    private var list: [Exchange] = []
    /// So many of them were taken.
    private var taken = 0

    var isEmpty: Bool { list.isEmpty }

    mutating func add(_ exchange: Exchange) {
        list.append(exchange)
    }

    /// Takes so many of them at most.
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
