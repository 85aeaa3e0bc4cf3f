package import BeemedDomain

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
    package func expected(_ settle: @escaping (Reply) -> Void) -> Recipient {
        missing += 1
        return .function { reply in
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
            if missing > 0, !relay.hasFailed {
                waiting = continuation
            } else {
                continuation.resume()
            }
        }
        guard !relay.hasFailed else { throw .outcomeUnknown }
    }
}
