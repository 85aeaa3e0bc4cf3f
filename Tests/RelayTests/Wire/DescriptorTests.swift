import Foundation
import Testing

@testable import RelayHTTP

/// A server whose process may open no more files: in a process of its own, as all other tests
/// would suffer with it. Wall-clock: the processor time of 300 milliseconds.
struct DescriptorTests {
    @Test func `neither spins nor gives up when descriptors run out`() async {
        await #expect(processExitsWith: .success) {
            let server = try RunningServer()
            let client = Client(server.endpoint)
            // Below all that are open, so that nobody else's close makes room.
            setDescriptorLimit(3)
            let running = server.start()
            client.send("GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
            let before = clock()
            precondition(!client.canRead(withinMilliseconds: 300), "nothing was left to accept it")
            precondition(clock() - before < CLOCKS_PER_SEC / 10, "the loop spins")
            DescriptorLimit.raise()
            leaveDescriptors(8)
            precondition(client.body() == "GET /late ")
            _ = running
        }
    }

    @Test func `takes an idle connection's descriptor for a newcomer`() async {
        await #expect(processExitsWith: .success) {
            let server = try RunningServer().start()
            leaveDescriptors(8)
            let first = Client(server.endpoint)
            first.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            precondition(first.body() == "GET /first ")
            var others: [Int32] = []
            while case let other = dup(2), other >= 0 { others.append(other) }
            close(others.removeLast())
            let second = Client(server.endpoint)
            second.send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            precondition(second.body() == "GET /second ")
            precondition(first.rest() == "")
        }
    }

    @Test func `raises the limit as far as it may`() async {
        await #expect(processExitsWith: .success) {
            let most = DescriptorLimit.raise()
            setDescriptorLimit(64)
            precondition(DescriptorLimit.raise() == most)
            precondition(DescriptorLimit.raise() == most, "a second time changes nothing")
        }
    }
}

/// Leaves this process so many more descriptors: a test inherits some of those of all others, so no
/// fixed limit does. The lowest free ones are given first.
private func leaveDescriptors(_ count: Int) {
    let free = (0..<count).map { _ in dup(2) }
    setDescriptorLimit(UInt64((free.max() ?? 0) + 1))
    for descriptor in free { close(descriptor) }
}

/// Sets how many descriptors this process may have until it raises the limit again.
private func setDescriptorLimit(_ count: UInt64) {
    #if canImport(Darwin)
        let files = RLIMIT_NOFILE
    #else
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    unsafe getrlimit(files, &limit)
    limit.rlim_cur = rlim_t(count)
    precondition(unsafe setrlimit(files, &limit) == 0)
}
