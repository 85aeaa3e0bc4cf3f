#if !os(Linux)
    package import BeemedDomain
    import Dispatch
    import Foundation
    import Synchronization

    /// The same as on Linux, by URLSession.
    package final class SystemTransport: Sendable {
        private let session: URLSession

        /// Whether requests can be sent.
        package static var isAvailable: Bool { true }

        /// A transport of its own connections; what the parameters say is the library's own way.
        package init(
            connectSeconds: Double? = nil, sendsOnce: Bool = true, usesProxy: Bool = true
        ) {
            let settings = URLSessionConfiguration.ephemeral
            settings.httpCookieStorage = nil
            settings.httpShouldSetCookies = false
            settings.urlCache = nil
            if !usesProxy { settings.connectionProxyDictionary = [:] }
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            settings.httpAdditionalHeaders = ["User-Agent": "BeemedRelay"]
            session = URLSession(configuration: settings)
        }

        deinit {
            // A session that is not invalidated is never freed. No task can begin after this.
            session.finishTasksAndInvalidate()
        }

        /// Sends a request on the calling thread, which waits for the answer.
        package func perform(
            _ request: OutgoingRequest, atMost bytes: Int, within seconds: Double = 30,
            during term: LeaseTerm?
        ) -> Result<UpstreamAnswer, TransportFailure> {
            guard !request.isUnsendable else { return .failure(.unsendable) }
            guard var request = URLRequest(request) else {
                return .failure(.network(NetworkError.badURL))
            }
            request.timeoutInterval = seconds
            let task = session.dataTask(with: request)
            let reception = Reception(atMost: bytes)
            task.delegate = reception
            task.resume()
            // The session's own time-outs restart with every byte received.
            let end = ContinuousClock.now + .seconds(seconds)
            while !reception.isComplete(
                within: min(0.5, max(0, ContinuousClock.now.duration(to: end) / .seconds(1))))
            {
                guard term.maySend, ContinuousClock.now < end else {
                    reception.complete(.failure(.network(NetworkError.timedOut)))
                    break
                }
            }
            task.cancel()
            return reception.result
        }
    }

    extension URLRequest {
        /// The same request for the URL library; nil when its URL is none.
        fileprivate init?(_ request: OutgoingRequest) {
            guard let url = URL(string: request.url) else { return nil }
            self.init(url: url)
            httpMethod = request.method
            httpBody = request.body.map { Data($0) }
            for (name, value) in request.fields { setValue(value, forHTTPHeaderField: name) }
        }
    }

    /// The answer to one request.
    private final class Reception: NSObject, URLSessionDataDelegate {
        private let most: Int
        private let body = Mutex<[UInt8]>([])
        private let outcome = Mutex<Result<UpstreamAnswer, TransportFailure>?>(nil)
        private let completed = DispatchSemaphore(value: 0)

        init(atMost most: Int) { self.most = most }

        func isComplete(within seconds: Double) -> Bool {
            completed.wait(timeout: .now() + seconds) == .success
        }

        var result: Result<UpstreamAnswer, TransportFailure> {
            outcome.withLock { $0 } ?? .failure(.network(NetworkError.unknown))
        }

        /// Notes the first result: an endless answer keeps the library too busy to tell the end.
        func complete(_ result: Result<UpstreamAnswer, TransportFailure>) {
            outcome.withLock { $0 = $0 ?? result }
            completed.signal()
        }

        /// A redirect counts as an answer and is never followed: repeated as a GET it would return
        /// a 200 that confirms nothing.
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
        {
            let isTooLarge = body.withLock { body in
                let hasRoom = data.count <= most - body.count
                if hasRoom { body.append(contentsOf: data) }
                return !hasRoom
            }
            if isTooLarge { complete(.failure(.tooLarge(bytes: most))) }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            guard error == nil, let response = task.response as? HTTPURLResponse else {
                let cause = error as? URLError ?? URLError(.badServerResponse)
                return complete(.failure(.network(cause.errorCode)))
            }
            let date = response.value(forHTTPHeaderField: "Date")
            complete(
                .success(
                    UpstreamAnswer(
                        status: response.statusCode,
                        retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
                        date: date.flatMap { DateField.parse($0) }, body: body.withLock { $0 })))
        }
    }
#endif
