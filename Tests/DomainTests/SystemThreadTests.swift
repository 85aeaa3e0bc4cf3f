import Foundation
import Synchronization
import Testing

@testable import BeemedDomain

/// Threads of the system, and the signals by which they are woken.
struct SystemThreadTests {
    @Test func `threads`() {
        part("a thread runs its body, under its name") {
            let ended = DispatchSemaphore(value: 0)
            let name = Mutex("")
            SystemThread.start("example") {
                let bytes = FileManager.default.contents(atPath: "/proc/thread-self/comm") ?? Data()
                name.withLock { $0 = String(decoding: bytes, as: UTF8.self).trimmed }
                ended.signal()
            }
            expect(ended.awaitSignal(), "the thread has not run")
            #if os(Linux)
                expect(name.withLock { $0 }, is: "example")
            #endif
        }
        part("a system without room for another thread is no end of the program") {
            let hasRun = Atomic(false)
            let hasStarted = SystemThread.startIfPossible("large", stackBytes: 1 << 60) {
                hasRun.store(true, ordering: .relaxed)
            }
            let ran = hasRun.load(ordering: .relaxed)
            expect(!hasStarted && !ran)
        }
        part("a sleep lasts as long as it was asked for") {
            let begin = ContinuousClock.now
            SystemThread.sleep(seconds: 0.02)
            expect(ContinuousClock.now - begin >= .milliseconds(20))
        }
    }

    @Test func `signals`() {
        part("a signal that comes first is not lost, and several count as one") {
            let signal = ThreadSignal()
            signal.send()
            signal.send()
            signal.wait()
            let begin = ContinuousClock.now
            signal.wait(milliseconds: 20)
            expect(ContinuousClock.now - begin >= .milliseconds(15))
        }
        part("what was written before a signal is seen after it, however they meet") {
            let signal = ThreadSignal()
            let written = Atomic(0)
            let seen = Atomic(0)
            let count = 20_000
            SystemThread.start("reader") {
                while seen.load(ordering: .relaxed) < count {
                    signal.wait()
                    seen.store(written.load(ordering: .relaxed), ordering: .relaxed)
                }
            }
            for number in 1...count {
                written.store(number, ordering: .relaxed)
                signal.send()
            }
            let end = ContinuousClock.now + .seconds(HangLimit.seconds)
            while seen.load(ordering: .relaxed) < count, ContinuousClock.now < end {
                SystemThread.sleep(seconds: 0.001)
            }
            let last = seen.load(ordering: .relaxed)
            expect(last, is: count)
        }
    }
}
