import Foundation
import Synchronization

@testable import BeeminderSimulator

/// Counts what reaches a simulated Beeminder, and wakes those who wait for it.
final class Postings: Sendable {
    private struct Waiter {
        var goals: Set<String>
        var count: Int
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var counts: [String: Int] = [:]
        var pendingReplies: [UUID: Waiter] = [:]

        func has(_ count: Int, in goals: Set<String>) -> Bool {
            goals.reduce(0) { $0 + counts[$1, default: 0] } >= count
        }
    }

    private let state = Mutex(State())

    /// Counts a datapoint that has come.
    func record(_ datapoint: PostedDatapoint) {
        let ready = state.withLock { state in
            state.counts[datapoint.goal, default: 0] += 1
            let ready = state.pendingReplies.filter {
                state.has($0.value.count, in: $0.value.goals)
            }
            for id in ready.keys { state.pendingReplies[id] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume(returning: true) }
    }

    /// Waits until so many have come to these goals together.
    ///
    /// - Returns: false on a hang.
    func await(_ count: Int, in goals: Set<String>) async -> Bool {
        let id = UUID()
        return await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard !state.has(count, in: goals) else { return true }
                state.pendingReplies[id] = Waiter(
                    goals: goals, count: count, continuation: continuation)
                return false
            }
            guard !isReady else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + HangLimit.seconds) { [self] in
                let waiter = state.withLock { $0.pendingReplies.removeValue(forKey: id) }
                waiter?.continuation.resume(returning: false)
            }
        }
    }
}
