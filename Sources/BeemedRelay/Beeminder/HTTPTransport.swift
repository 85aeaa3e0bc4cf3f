import BeemedDomain
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP requests to Beeminder, with limits on time and length. Redirects are not followed, nothing
/// is cached, and cookies are not kept. Uses libcurl on Linux, URLSession elsewhere.
final class HTTPTransport: Sendable {
    /// The reason why there is no answer.
    enum Failure: Error, Equatable {
        /// The URL library's error code. Its message may contain the URL, and so a token.
        case network(Int)
        /// The answer exceeded the limit.
        case tooLarge(bytes: Int)

        /// Error text for the user, without the URL.
        var words: String {
            switch self {
            case .network(let code): "no answer (network error \(code))"
            case .tooLarge(let bytes): "an answer of more than \(bytes) bytes"
            }
        }
    }

    /// Maximum duration of an attempt in seconds, even while bytes arrive.
    private static let patience = 30.0
    private let receiver = SessionDelegate()
    private let library: Library

    /// What sends the requests. A session takes megabytes of memory and makes a cache folder, so
    /// there is none beside libcurl.
    private enum Library: Sendable {
        #if canImport(FoundationNetworking)
            case curl(CurlTransport)
        #endif
        case session(URLSession)
    }

    init() {
        #if canImport(FoundationNetworking)
            if let curl = CurlTransport() {
                library = .curl(curl)
                return
            }
        #endif
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = HTTPTransport.patience
        settings.timeoutIntervalForResource = HTTPTransport.patience
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpAdditionalHeaders = ["User-Agent": "BeemedRelay"]
        library = .session(
            URLSession(
                configuration: settings, delegate: receiver,
                delegateQueue: BoundedOperationQueue()))
    }

    deinit {
        // A session that is not invalidated is never freed. No task can begin after this.
        if case .session(let session) = library { session.finishTasksAndInvalidate() }
    }

    /// Sends a request and waits for the answer, 30 s at most.
    ///
    /// - Parameters:
    ///   - bytes: maximum length of the answer's body.
    ///   - permit: the request is cancelled when it ends.
    func send(
        _ request: URLRequest, atMost bytes: Int, under permit: SendPermit
    ) async -> Result<UpstreamAnswer, Failure> {
        switch library {
        #if canImport(FoundationNetworking)
            case .curl(let curl):
                return await curl.send(
                    request, atMost: bytes, within: HTTPTransport.patience, under: permit)
        #endif
        case .session(let session):
            return await send(request, atMost: bytes, under: permit, session)
        }
    }

    private func send(
        _ request: URLRequest, atMost bytes: Int, under permit: SendPermit,
        _ session: URLSession
    ) async -> Result<UpstreamAnswer, Failure> {
        let task = session.dataTask(with: request)
        // The session's own time-outs restart with every byte received.
        let watch = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        let end = ContinuousClock.now + .seconds(HTTPTransport.patience)
        watch.schedule(deadline: .now() + 0.5, repeating: 0.5)
        watch.setEventHandler { [receiver] in
            guard !permit.isValid || ContinuousClock.now >= end else { return }
            receiver.abandon(task, .network(URLError.timedOut.rawValue))
        }
        watch.activate()
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            receiver.expect(task.taskIdentifier, atMost: bytes, continuation)
            task.resume()
        }
    }
}

/// At most 64 callbacks of URLSession are queued, on threads of their own. On Linux the library
/// queues every chunk without back-pressure: an endless answer would fill memory faster than it can
/// be cancelled.
private final class BoundedOperationQueue: OperationQueue, @unchecked Sendable {
    private let room = DispatchSemaphore(value: 64)
    private let queue = DispatchQueue(label: "answers", qos: .userInitiated)

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
        unsafe underlyingQueue = queue
    }

    #if canImport(FoundationNetworking)
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            room.wait()
            queue.async { [room] in
                block()
                room.signal()
            }
        }
    #endif
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

    /// A redirect counts as an answer and is never followed: repeated as a GET it would return a
    /// 200 that confirms nothing.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = deliveries.withLock { deliveries in
            deliveries[dataTask.taskIdentifier]?.take(data) ?? false
        }
        if isTooLarge { abandon(dataTask, nil) }
    }

    /// Abandons an answer. The caller gets the failure at once: an endless answer keeps the library
    /// too busy to process the cancellation.
    ///
    /// - Parameter failure: the reason; nil because the answer is too large.
    func abandon(_ task: URLSessionTask, _ failure: HTTPTransport.Failure?) {
        let delivery = deliveries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let delivery else { return }
        let cause = failure ?? .tooLarge(bytes: delivery.most)
        delivery.continuation.resume(returning: .failure(cause))
        // Not on this thread: `cancel` waits for the library, which may wait for room in the queue.
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
    fileprivate mutating func take(_ data: Data) -> Bool {
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
                date: date.flatMap { DateField.read($0) }, body: received))
    }
}

/// Executor for upstream calls: a thread of its own while there is work, so that blocked threads of
/// Swift's shared pool do not delay deliveries.
final class UpstreamExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "errands", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
