import BeemedDomain
import Testing

@testable import RelayHTTP
@testable import RelayTrunk

/// The request log has the last hundred calls: none of them may hold a long body.
struct RequestLogBodyTests {
    private func request(_ bytes: Int) throws -> Request {
        let body = String(repeating: "x", count: bytes)
        var parser = RequestParser()
        parser.feed(
            Array("POST /log HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes)\r\n\r\n\(body)".utf8)
                .span)
        while let event = try parser.next() {
            switch event {
            case .announced: _ = parser.admit(bodyBytes: bytes)
            case .request(let request): return request
            }
        }
        throw ParseError.bodyTooLarge
    }

    @Test(arguments: [(10, 10), (4_096, 4_096), (4_097, 0), (20_000, 0)])
    func `only a short body is kept`(_ bytes: Int, _ kept: Int) throws {
        let request = try request(bytes)
        let moment = Moment(wall: UnixTime(1), monotonic: Monotonic(milliseconds: 1))
        let call = Call(
            ExchangeID(slot: 0, generation: 0), request,
            RequestContext(moment: moment, peer: try require(Address("127.0.0.1"))))
        expect(call.request.body.count, is: bytes)
        call.assign(Route(.post, "/log", .log, .press) { _, _ in nil }, name: nil)
        call.dropUnshownContent()
        expect(call.request.body.count, is: kept)
        expect(call.bodyBytes, is: bytes)
        call.assign(Route(open: .post, "/login") { _, _ in nil }, name: nil)
        call.dropUnshownContent()
        expect(call.request.body.isEmpty)
    }
}
