#if !os(Linux)
    import BeemedDomain
    import Dispatch
    import Foundation
    import Synchronization

    /// HTTP requests by URLSession, on Apple's systems.
    final class SessionTransport: Sendable {
        private let receiver = SessionDelegate()
        private let session: URLSession

        init() {
            let settings = URLSessionConfiguration.ephemeral
            settings.httpCookieStorage = nil
            settings.httpShouldSetCookies = false
            settings.urlCache = nil
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            settings.httpAdditionalHeaders = ["User-Agent": "BeemedRelay"]
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            session = URLSession(
                configuration: settings, delegate: receiver, delegateQueue: queue)
        }

        deinit {
            // A session that is not invalidated is never freed. No task can begin after this.
            session.finishTasksAndInvalidate()
        }

        /// Sends a request and waits for the answer.
        ///
        /// - Parameters:
        ///   - bytes: maximum length of the answer's body.
        ///   - seconds: maximum duration of the whole exchange, even while bytes arrive.
        ///   - permit: the request is cancelled when it ends.
        func send(
            _ request: OutgoingRequest, atMost bytes: Int, within seconds: Double,
            under permit: SendPermit
        ) async -> Result<UpstreamAnswer, HTTPTransport.Failure> {
            guard !request.isUnsendable else { return .failure(.unsendable) }
            guard var request = URLRequest(request) else {
                return .failure(.network(NetworkError.badURL))
            }
            request.timeoutInterval = seconds
            let task = session.dataTask(with: request)
            // The session's own time-outs restart with every byte received.
            let watch = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
            let end = ContinuousClock.now + .seconds(seconds)
            watch.schedule(deadline: .now() + 0.5, repeating: 0.5)
            watch.setEventHandler { [receiver] in
                guard !permit.isValid || ContinuousClock.now >= end else { return }
                receiver.abandon(task, .network(NetworkError.timedOut))
            }
            watch.activate()
            defer { watch.cancel() }
            return await withCheckedContinuation { continuation in
                receiver.expect(task.taskIdentifier, atMost: bytes, continuation)
                task.resume()
            }
        }
    }

    extension URLRequest {
        /// The same request for the URL library; nil when its URL is none.
        init?(_ request: OutgoingRequest) {
            guard let url = URL(string: request.url) else { return nil }
            self.init(url: url)
            httpMethod = request.method
            httpBody = request.body.map { Data($0) }
            for (name, value) in request.fields { setValue(value, forHTTPHeaderField: name) }
        }
    }

    /// Collects the answers.
    private final class SessionDelegate: NSObject, URLSessionDataDelegate {
        typealias Continuation = CheckedContinuation<
            Result<UpstreamAnswer, HTTPTransport.Failure>, Never
        >

        fileprivate struct Delivery {
            let continuation: Continuation
            let most: Int
            var received: [UInt8] = []
        }

        private let deliveries = Mutex<[Int: Delivery]>([:])

        func expect(_ task: Int, atMost most: Int, _ continuation: Continuation) {
            deliveries.withLock { $0[task] = Delivery(continuation: continuation, most: most) }
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
            let isTooLarge = deliveries.withLock { deliveries in
                deliveries[dataTask.taskIdentifier]?.receive(data) ?? false
            }
            if isTooLarge { abandon(dataTask, nil) }
        }

        /// Abandons an answer. The caller gets the failure at once: an endless answer keeps the
        /// library too busy to process the cancellation.
        ///
        /// - Parameter failure: the reason; nil because the answer is too large.
        func abandon(_ task: URLSessionTask, _ failure: HTTPTransport.Failure?) {
            let delivery = deliveries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            guard let delivery else { return }
            let cause = failure ?? .tooLarge(bytes: delivery.most)
            delivery.continuation.resume(returning: .failure(cause))
            // Not on this thread, which `cancel` may wait for.
            DispatchQueue.global(qos: .userInitiated).async { task.cancel() }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            let delivery = deliveries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            guard let delivery else { return }
            delivery.continuation.resume(returning: delivery.result(task.response, error))
        }
    }

    extension SessionDelegate.Delivery {
        /// - Returns: whether the limit is exceeded.
        fileprivate mutating func receive(_ data: Data) -> Bool {
            guard received.count + data.count <= most else { return true }
            received.append(contentsOf: data)
            return false
        }

        fileprivate func result(
            _ response: URLResponse?, _ error: (any Error)?
        ) -> Result<UpstreamAnswer, HTTPTransport.Failure> {
            guard error == nil, let response = response as? HTTPURLResponse else {
                let cause = error as? URLError ?? URLError(.badServerResponse)
                return .failure(.network(cause.errorCode))
            }
            let date = response.value(forHTTPHeaderField: "Date")
            return .success(
                UpstreamAnswer(
                    status: response.statusCode,
                    retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
                    date: date.flatMap { DateField.parse($0) }, body: received))
        }
    }
#endif
