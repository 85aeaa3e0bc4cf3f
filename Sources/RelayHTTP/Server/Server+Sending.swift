/// Sending what is in the outboxes.
extension Server {
    /// Sends as much as the client's socket takes now.
    func write(_ client: ClientSocket) {
        while client.connection.unsentBytes > 0 {
            let sent = Socket.send(
                client.descriptor.number, client.connection.outbox,
                from: client.connection.sent)
            switch sent {
            case .bytes(let count): client.connection.didSend(count)
            case .later:
                if client.connection.unsentBytes > ClientSocketTable.longAnswer {
                    mayHoldMuchUnsent = true
                }
                return
            case .broken: return client.connection.abandonOutput()
            }
        }
    }

    /// Closes the connections with the longest unsent answers until all unsent answers fit.
    func limitUnsent() {
        mayHoldMuchUnsent = false
        while let slot = table.longestUnsent(above: limits.unsent.inAll) { remove(slot) }
    }
}
