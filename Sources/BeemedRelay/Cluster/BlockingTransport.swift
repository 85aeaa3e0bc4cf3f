import BeemedDomain
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP requests on the calling thread, which waits: libcurl on Linux, URLSession elsewhere.
final class BlockingTransport: Sendable {
    private enum Library: Sendable {
        #if canImport(FoundationNetworking)
            case curl(CurlTransport)
        #endif
        case session(URLSession)
    }

    private let library: Library

    init() {
        #if canImport(FoundationNetworking)
            if let curl = CurlTransport(connectSeconds: 1) {
                library = .curl(curl)
                return
            }
        #endif
        let settings = URLSessionConfiguration.ephemeral
        settings.urlCache = nil
        library = .session(URLSession(configuration: settings))
    }

    /// Sends a request and waits for the answer.
    ///
    /// - Parameters:
    ///   - bytes: the maximum length of the answer's body.
    ///   - seconds: the maximum duration of the whole exchange.
    func send(
        _ request: URLRequest, atMost bytes: Int, within seconds: Double
    ) -> Result<UpstreamAnswer, HTTPTransport.Failure> {
        switch library {
        #if canImport(FoundationNetworking)
            case .curl(let curl): return curl.perform(request, bytes, seconds, under: .alone)
        #endif
        case .session(let session): return send(request, bytes, seconds, session)
        }
    }

    private func send(
        _ request: URLRequest, _ bytes: Int, _ seconds: Double, _ session: URLSession
    ) -> Result<UpstreamAnswer, HTTPTransport.Failure> {
        let result = Mutex<Result<UpstreamAnswer, HTTPTransport.Failure>>(
            .failure(.network(URLError.timedOut.rawValue)))
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
}
