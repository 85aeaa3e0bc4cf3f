import Synchronization

/// A request whose answer the calling thread waits for: for commands that call a relay.
///
/// Connects to that address only. The system's HTTP clients use the proxy of the environment or the
/// settings, and would send it the token; libcurl takes longer to load than most commands last.
package final class DirectCall: Sendable {
    private let answer = Mutex(Result<Response, Forwarder.Fault>.failure(.interrupted))

    private init() {}

    /// Sends a request, which must ask to close the connection, and waits for the answer.
    ///
    /// - Parameters:
    ///   - message: the whole request.
    ///   - seconds: the timeout for each step; something must come within it.
    ///   - progress: called with the bytes received so far.
    package static func send(
        _ message: [UInt8], to endpoint: Endpoint, seconds: Double,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws(Forwarder.Fault) -> Response {
        let (call, loop) = (DirectCall(), Loop())
        let forwarder = Forwarder(on: loop, longest: .max)
        let patience = Forwarder.Patience(connection: seconds, answer: seconds, more: seconds)
        loop.post {
            forwarder.assumeIsolated { forwarder in
                forwarder.start()
                _ = forwarder.send(message, to: endpoint, patience) { [forwarder] number, event in
                    guard let count = call.add(event) else { return loop.stop() }
                    progress(count)
                    forwarder.assumeIsolated { $0.resume(number) }
                }
            }
        }
        loop.run()
        return try call.answer.withLock { $0 }.get()
    }

    /// - Returns: the length of the content so far; nil when nothing follows.
    private func add(_ event: Forwarder.Event) -> Int? {
        answer.withLock { answer in
            switch event {
            case .failed(let fault): answer = .failure(fault)
            case .piece(.whole(let response)): answer = .success(response)
            case .piece(.opening(let response, _)):
                answer = .success(response)
                return 0
            case .piece(.more(let bytes)):
                guard case .success(var response) = answer else { return nil }
                answer = .failure(.interrupted)  // Leaves one reference: growing copies nothing.
                response.body += bytes
                answer = .success(response)
                return response.body.count
            case .piece: break
            }
            return nil
        }
    }
}
