import BeemedDomain
import RelayHTTP

/// Limits on waiting requests. Each holds a connection, and presses have priority on connections.
extension Relay {
    /// Waiting requests of one token, at most, streams included.
    static let mostWaits = 32

    /// Ends the oldest waits, so that this bearer may begin one more: its own at the limit of one
    /// token, any bearer's when waits hold half of all connections. The new wait is not refused,
    /// since a display that lost its power reconnects as a new client.
    func makeRoomToWait(for bearer: Bearer, _ now: Moment) {
        let own =
            longPolls.count { $0.bearer == bearer } + streams.list.count { $0.bearer == bearer }
        if own >= Relay.mostWaits { endOldestWait(now) { $0 == bearer } }
        let most = max(1, (server?.mostConnections ?? 2) / 2)
        if longPolls.count + streams.list.count >= most { endOldestWait(now) { _ in true } }
    }

    /// Ends all waits of revoked tokens and sessions; the answer says only that.
    func endWaits(where isOver: (Bearer) -> Bool) {
        for longPoll in longPolls where isOver(longPoll.bearer) {
            let response = Problem.revoked.response(request: requests.next())
            answers.append(Answer(to: longPoll.exchange, response))
        }
        longPolls.removeAll { isOver($0.bearer) }
        for stream in streams.list where isOver(stream.bearer) { end(stream) }
        streams.list.removeAll { isOver($0.bearer) }
        endExports { isOver($0) }
    }

    /// The answer for a long poll that ends early, because its connection is needed; nil for a
    /// stream, or when the client is unknown here.
    func endWait(_ id: ExchangeID) -> Answer? {
        if let place = longPolls.firstIndex(where: { $0.exchange == id }) {
            let longPoll = longPolls.remove(at: place)
            return answer(to: longPoll, clock())
        }
        streams.list.removeAll { $0.exchange == id }
        transfers.exports[id] = nil
        return nil
    }

    private func endOldestWait(_ now: Moment, where isMeant: (Bearer) -> Bool) {
        // Both lists are ordered by start.
        let longPoll = longPolls.firstIndex { isMeant($0.bearer) }
        let stream = streams.list.firstIndex { isMeant($0.bearer) }
        let isStream: Bool
        switch (longPoll, stream) {
        case (nil, nil): return
        case (nil, _?): isStream = true
        case (_?, nil): isStream = false
        case (let longPoll?, let stream?):
            isStream = streams.list[stream].since < longPolls[longPoll].since
        }
        if isStream, let stream { end(streams.list.remove(at: stream)) }
        if !isStream, let longPoll { end(longPolls.remove(at: longPoll), now) }
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
