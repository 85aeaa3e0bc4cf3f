import BeemedDomain
import RelayHTTP

/// Limits on waiting requests. Each holds a connection, and presses have priority on connections.
extension Relay {
    /// Waiting requests of one token, at most, streams included.
    static let maxWaits = 32

    /// Ends the oldest waits, so that this bearer may begin one more: its own at the limit of one
    /// token, any bearer's when waits hold half of all connections. The new wait is not refused,
    /// since a display that lost its power reconnects as a new client.
    func evictWait(for bearer: Bearer, _ now: Moment) {
        let own =
            watchers.longPolls.count { $0.bearer == bearer }
            + watchers.streams.list.count { $0.bearer == bearer }
        if own >= Relay.maxWaits { endOldestWait(now) { $0 == bearer } }
        let most = max(1, (site?.server.maxConnections ?? 2) / 2)
        if watchers.longPolls.count + watchers.streams.list.count >= most {
            endOldestWait(now) { _ in true }
        }
    }

    /// Ends all waits of revoked tokens and sessions; the answer says only that.
    func endWaits(where isOver: @escaping (Bearer) -> Bool) {
        for longPoll in watchers.longPolls where isOver(longPoll.bearer) {
            let response = Problem.revoked.response(request: records.names.next())
            answers.append(Answer(to: longPoll.exchange, response))
        }
        watchers.longPolls.removeAll { isOver($0.bearer) }
        for stream in watchers.streams.list where isOver(stream.bearer) { end(stream) }
        watchers.streams.list.removeAll { isOver($0.bearer) }
        tell(.revoked(isOver))
    }

    /// The answer for a long poll that ends early, because its connection is needed; nil for a
    /// stream, or when the client is unknown here.
    func endWait(_ id: ExchangeID) -> Answer? {
        if let place = watchers.longPolls.firstIndex(where: { $0.exchange == id }) {
            let longPoll = watchers.longPolls.remove(at: place)
            return answer(to: longPoll, environment.clock())
        }
        watchers.streams.list.removeAll { $0.exchange == id }
        tell(.waitEnded(id))
        return nil
    }

    private func endOldestWait(_ now: Moment, where isMeant: (Bearer) -> Bool) {
        // Both lists are ordered by start.
        let longPoll = watchers.longPolls.firstIndex { isMeant($0.bearer) }
        let stream = watchers.streams.list.firstIndex { isMeant($0.bearer) }
        let isStream: Bool
        switch (longPoll, stream) {
        case (nil, nil): return
        case (nil, _?): isStream = true
        case (_?, nil): isStream = false
        case (let longPoll?, let stream?):
            isStream = watchers.streams.list[stream].since < watchers.longPolls[longPoll].since
        }
        if isStream, let stream { end(watchers.streams.list.remove(at: stream)) }
        if !isStream, let longPoll { end(watchers.longPolls.remove(at: longPoll), now) }
    }

    private func end(_ longPoll: LongPoll, _ now: Moment) {
        answers.append(answer(to: longPoll, now))
    }

    private func end(_ stream: ContextStream) {
        answers.append(Answer(ending: stream.exchange))
    }

    private func answer(to longPoll: LongPoll, _ now: Moment) -> Answer {
        Answer(
            to: longPoll.exchange,
            currentContext(longPoll.view, ifNoneMatch: longPoll.condition, at: now))
    }
}
