import BeemedDomain
import RelayTrunk

#if !os(Linux)
    import Dispatch
    import Foundation
    import Synchronization
#endif

/// HTTP requests on the calling thread, which waits: libcurl on Linux, URLSession elsewhere.
final class BlockingTransport: Sendable {
    #if os(Linux)
        private let curl = CurlTransport(connectSeconds: 1, sendsOnce: false)
    #else
        private let session: URLSession = {
            let settings = URLSessionConfiguration.ephemeral
            settings.urlCache = nil
            return URLSession(configuration: settings)
        }()
    #endif

    /// Sends a request and waits for the answer.
    ///
    /// - Parameters:
    ///   - bytes: the maximum length of the answer's body.
    ///   - seconds: the maximum duration of the whole exchange.
    func send(
        _ request: OutgoingRequest, atMost bytes: Int, within seconds: Double
    ) -> Result<UpstreamAnswer, HTTPTransport.Failure> {
        #if os(Linux)
            return curl.perform(request, bytes, seconds, under: .alone)
        #else
            guard let request = URLRequest(request) else {
                return .failure(.network(NetworkError.badURL))
            }
            return send(request, bytes, seconds)
        #endif
    }

    #if !os(Linux)
        private func send(
            _ request: URLRequest, _ bytes: Int, _ seconds: Double
        ) -> Result<UpstreamAnswer, HTTPTransport.Failure> {
            let result = Mutex<Result<UpstreamAnswer, HTTPTransport.Failure>>(
                .failure(.network(NetworkError.timedOut)))
            let done = DispatchSemaphore(value: 0)
            let task = session.dataTask(with: request) { data, response, error in
                result.withLock { result in
                    if let status = (response as? HTTPURLResponse)?.statusCode, let data {
                        result =
                            data.count > bytes
                            ? .failure(.tooLarge(bytes: bytes))
                            : .success(UpstreamAnswer(status: status, body: Array(data)))
                    } else {
                        let code = (error as? URLError)?.code ?? .unknown
                        result = .failure(.network(code.rawValue))
                    }
                }
                done.signal()
            }
            task.resume()
            if done.wait(timeout: .now() + seconds) == .timedOut { task.cancel() }
            return result.withLock { $0 }
        }
    #endif
}
