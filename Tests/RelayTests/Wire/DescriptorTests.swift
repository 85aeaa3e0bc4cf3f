import Foundation
import Testing

@testable import RelayHTTP

/// What happens when the process may open no more files: in a process of its own, for every other
/// test would suffer with it. Wall-clock: the processor time of 300 milliseconds.
@Suite(.timeLimit(.minutes(1)))
struct DescriptorTests {
    @Test func `neither spins nor gives up when descriptors run out`() async {
        await #expect(processExitsWith: .success) {
            let server = try RunningServer()
            // Enough for whatever this process has inherited from the one that runs all tests.
            setDescriptorLimit(1_024)
            let first = Client(server.endpoint)
            let second = Client(server.endpoint)
            var others: [Int32] = []
            while case let other = dup(2), other >= 0 { others.append(other) }
            let running = server.start()
            first.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            let before = clock()
            precondition(!first.canRead(withinMilliseconds: 300), "nothing was left to accept it")
            precondition(clock() - before < CLOCKS_PER_SEC / 10, "the loop spins")
            close(others.removeLast())
            precondition(first.body() == "GET /first ")
            // For this one there is room only in the place of the first, which is idle now.
            second.send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            precondition(second.body() == "GET /second ")
            precondition(first.rest() == "")
            _ = running
        }
    }

    @Test func `raises the limit as far as it may`() async {
        await #expect(processExitsWith: .success) {
            let most = DescriptorLimit.raise()
            setDescriptorLimit(64, keepingHard: true)
            precondition(DescriptorLimit.raise() == most)
            precondition(DescriptorLimit.raise() == most, "a second time changes nothing")
        }
    }
}

/// Sets how many descriptors this process may have, the hard limit too unless it is kept.
private func setDescriptorLimit(_ count: UInt64, keepingHard: Bool = false) {
    #if canImport(Darwin)
        let files = RLIMIT_NOFILE
    #else
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    unsafe getrlimit(files, &limit)
    limit.rlim_cur = rlim_t(count)
    if !keepingHard { limit.rlim_max = rlim_t(count) }
    precondition(unsafe setrlimit(files, &limit) == 0)
}
