import Foundation
import Synchronization
import Testing

@testable import RelayHTTP

/// The loop is an executor.
struct LoopTests {
    /// An actor on a loop.
    private actor Guest {
        private let loop: Loop
        private(set) var calls: [String] = []

        init(_ loop: Loop) {
            self.loop = loop
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe loop.asUnownedSerialExecutor()
        }

        func record(_ call: String) {
            calls.append(call)
        }
    }

    @Test func `what was given to it before it runs is done in order`() {
        let loop = Loop()
        let guest = Guest(loop)
        for name in ["first", "second"] {
            loop.post { guest.assumeIsolated { $0.record(name) } }
        }
        let calls = Mutex<[String]>([])
        loop.post {
            calls.withLock { $0 = guest.assumeIsolated { $0.calls } }
            loop.stop()
        }
        loop.run()
        expect(calls.withLock { $0 }, is: ["first", "second"])
    }

    @Test func `a loop that was stopped before it runs does what was posted, and ends`() {
        let loop = Loop()
        let turns = Mutex(0)
        loop.post { turns.withLock { $0 += 1 } }
        loop.stop()
        loop.run()
        expect(turns.withLock { $0 }, is: 1)
    }

    @Test func `awaits a job of an actor on it`() async {
        let loop = Loop()
        let guest = Guest(loop)
        Thread { loop.run() }.start()
        await guest.record("awaited")
        await expect(guest.calls, is: ["awaited"])
        loop.stop()
    }
}
