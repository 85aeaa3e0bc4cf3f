package import BeemedDomain
package import RelayHTTP

/// A request whose answer takes several turns of the loop.
package struct LongRequest {
    /// Returns the answer; nil when the client has gone.
    package typealias Work = nonisolated(nonsending) () async throws(Problem) -> Response?

    let call: Call
    let work: Work
}

extension Relay {
    /// Does work for a request whose answer follows.
    ///
    /// - Returns: nil, as a handler does whose answer follows later.
    package func later(_ call: Call, _ work: @escaping LongRequest.Work) -> Response? {
        let id = call.id
        begun[id] = LongRequest(call: call, work: work)
        // Without the preference each wait would go on by way of another thread, and there may be
        // none to spare.
        Task(executorPreference: loop) { await self.carryOut(id) }
        return nil
    }

    private func carryOut(_ id: ExchangeID) async {
        guard let request = begun[id] else { return }
        let call = request.call
        let result: Result<Response?, Problem>
        do throws(Problem) {
            result = .success(try await request.work())
        } catch {
            result = .failure(error)
        }
        guard begun.removeValue(forKey: id) != nil else { return }
        switch result {
        case .success(let response): if let response { answer(call, .success(response)) }
        case .failure(let problem): answer(call, .failure(problem))
        }
        finishTurn()
    }

    /// The requests of the same route whose answers follow.
    package func begun(like call: Call) -> [Call] {
        begun.values.map(\.call).filter { $0.asked === call.asked }
    }

    /// Whether the answer to a request that was begun is still waited for.
    package func isAwaited(_ call: Call) -> Bool {
        begun[call.id] != nil && isAwaited(call.id)
    }

    /// Whether the client of a request is still there.
    func isAwaited(_ id: ExchangeID) -> Bool {
        site?.server.assumeIsolated { $0.holds(id) } ?? false
    }

    /// Checks that the token or sign-in of a request was not taken away while it waited.
    package func checkIsGood(_ call: Call) throws(Problem) {
        guard call.sender.map(access.isGood) ?? true else { throw .revoked }
    }
}

/// The replies of the core that a request waits for.
package final class Replies {
    private var missing = 0
    private var waiting: CheckedContinuation<Void, Never>?

    /// Presses of one slice.
    private static let slice = 100
    /// Unsynced presses of one request, at most: to process the outcomes of more at once would take
    /// as long as to process the presses.
    private static let maxUnwritten = 400

    /// Waits for none yet.
    package init() {}

    /// Takes the presses of a request with many of them, in order and in slices, with other
    /// requests in between, so that a long queue does not delay a button.
    ///
    /// - Parameter take: takes the press of an index, whose reply is then among those expected.
    /// - Returns: whether all were taken. When its client goes, what was accepted stays so, and the
    ///   client sends all of it again.
    package static func takeAll(
        _ count: Int, of call: Call, in relay: isolated Relay,
        _ take: (Int, Moment, Replies) -> Void
    ) async throws(Problem) -> Bool {
        call.events = count
        let replies = Replies()
        for first in stride(from: 0, to: count, by: slice) {
            guard relay.isAwaited(call) else { return false }
            let now = Moment(wall: call.moment.wall, monotonic: relay.clock().monotonic)
            for index in first..<min(first + slice, count) { take(index, now, replies) }
            relay.finishTurn()
            await Task.yield()
            if replies.missing >= maxUnwritten { try await replies.all(in: relay) }
        }
        try await replies.all(in: relay)
        return true
    }

    /// The receiver of one more reply.
    package func expected(_ settle: @escaping (Reply) -> Void) -> Waiter {
        missing += 1
        return { reply in
            self.missing -= 1
            if let reply { settle(reply) }
            if self.missing == 0 { self.waiting.take()?.resume() }
        }
    }

    /// Waits until all of them are there.
    ///
    /// - Throws: `Problem` when the relay can promise nothing more.
    package func all(in relay: isolated Relay) async throws(Problem) {
        relay.finishTurn()
        await withCheckedContinuation { continuation in
            // Asked here: to begin to wait may take a turn of the loop, in which replies arrive.
            if missing > 0, !relay.shutdown.hasFailed {
                waiting = continuation
            } else {
                continuation.resume()
            }
        }
        guard !relay.shutdown.hasFailed else { throw .outcomeUnknown }
    }
}
