import BeemedDomain
import RelayHTTP

/// How many requests may wait for something to happen, and when they end before it does. Each
/// holds a connection, and connections are for presses first.
extension Relay {
    /// Requests of one token that may wait at once, streams included.
    static let mostWaits = 32

    /// Ends the oldest waits, so that this bearer may begin one more: one of its own when it has as
    /// many as one may have, anybody's when waits hold half of all connections. The oldest one ends
    /// and the new one is not refused, since a display that lost its power comes back as a new one.
    func makeRoomToWait(for bearer: Bearer, _ now: Moment) {
        let own =
            longPolls.count { $0.bearer == bearer } + streams.list.count { $0.bearer == bearer }
        if own >= Relay.mostWaits { endOldestWait(now) { $0 == bearer } }
        let most = max(1, (server?.mostConnections ?? 2) / 2)
        if longPolls.count + streams.list.count >= most { endOldestWait(now) { _ in true } }
    }

    /// Ends all waits of bearers whose token or cookie is good no longer: they are told so, and
    /// nothing else.
    func endWaits(where isOver: (Bearer) -> Bool) {
        for longPoll in longPolls where isOver(longPoll.bearer) {
            let response = Problem.revoked.response(request: requests.next())
            answers.append(Answer(to: longPoll.exchange, response))
        }
        longPolls.removeAll { isOver($0.bearer) }
        for stream in streams.list where isOver(stream.bearer) { end(stream) }
        streams.list.removeAll { isOver($0.bearer) }
    }

    /// The answer to a request that need not wait any longer, or nil when it was a stream, or none
    /// of those: its client has gone, or its connection is needed.
    func endWait(_ id: ExchangeID) -> Answer? {
        if let place = longPolls.firstIndex(where: { $0.exchange == id }) {
            let longPoll = longPolls.remove(at: place)
            return answer(to: longPoll, clock())
        }
        streams.list.removeAll { $0.exchange == id }
        return nil
    }

    private func endOldestWait(_ now: Moment, where isMeant: (Bearer) -> Bool) {
        // Both lists are in the order in which they began.
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
