import Foundation
import Testing

@testable import BeemedDomain
@testable import BeemedRelay

/// Answers whose bytes matter, over real connections.
@Suite(.timeLimit(.minutes(1))) struct RawAnswerTests {
    @Test func `reads Retry-After by the answer's own Date`() async throws {
        // The server's clock is years behind the relay's.
        let beeminder = try RawBeeminder { _ in
            "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n"
                + "Date: Sun, 06 Nov 2011 08:49:07 GMT\r\n"
                + "Retry-After: Sun, 06 Nov 2011 08:49:37 GMT\r\n\r\n"
        }
        let verdict = try await BeeminderClientTests.send(try beeminder.client(), 1)
        #expect(verdict == .whole(.busy(retryAfter: 30)))
        #expect(beeminder.asked.count == 1)
    }
}
