import BeemedDomain
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes requests to Beeminder and brings the answers: no redirect is followed, nothing is cached,
/// no cookie is kept; what takes too long or grows too large is cut off. On Linux by libcurl,
/// elsewhere by URLSession.
final class HTTPTransport: Sendable {
    /// Why there is no answer.
    enum Failure: Error, Equatable {
        /// By the URL library's number for it. Its words may hold the URL, and that a token.
        case network(Int)
        /// The answer grew beyond what anybody would send.
        case tooLarge(bytes: Int)

        /// For people, without the URL.
        var words: String {
            switch self {
            case .network(let code): "no answer (network error \(code))"
            case .tooLarge(let bytes): "an answer of more than \(bytes) bytes"
            }
        }
    }

    /// How long an attempt may take, whatever drips in, in seconds.
    private static let patience = 30.0
    private let receiver = SessionDelegate()
    private let session: URLSession
    #if canImport(FoundationNetworking)
        private let curl = CurlTransport()
    #endif

    init() {
        let settings = URLSessionConfiguration.ephemeral
        settings.timeoutIntervalForRequest = HTTPTransport.patience
        settings.timeoutIntervalForResource = HTTPTransport.patience
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpAdditionalHeaders = ["User-Agent": "BeemedRelay"]
        session = URLSession(
            configuration: settings, delegate: receiver, delegateQueue: BoundedOperationQueue())
    }

    deinit {
        // A session that nobody ends is never freed. Here nobody can begin anything with it.
        session.finishTasksAndInvalidate()
    }

    /// Sends a request and waits for the answer, 30 s at most.
    ///
    /// - Parameter bytes: how long the answer's body may be.
    func send(_ request: URLRequest, atMost bytes: Int) async -> Result<UpstreamAnswer, Failure> {
        #if canImport(FoundationNetworking)
            if let curl {
                return await curl.send(request, atMost: bytes, within: HTTPTransport.patience)
            }
        #endif
        let task = session.dataTask(with: request)
        // The session's own time-outs begin anew with every byte that drips in.
        let watch = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        watch.schedule(deadline: .now() + HTTPTransport.patience)
        watch.setEventHandler { [receiver] in
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

/// Lets what the library reports through a few at a time, on threads of its own. On Linux it
/// reports every piece of an answer without waiting for anybody: an endless one would pile up
/// faster than it can be cut off.
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

/// Gathers the answers as they come.
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

    /// A redirect is an answer here and is never followed: as a GET it would come back with a 200
    /// that means nothing.
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

    /// Waits no longer for an answer. Whoever does is told at once: an endless answer keeps the
    /// library too busy to hear that it is to stop.
    ///
    /// - Parameter failure: why; nil because it is too large.
    func abandon(_ task: URLSessionTask, _ failure: HTTPTransport.Failure?) {
        let delivery = deliveries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let delivery else { return }
        let cause = failure ?? .tooLarge(bytes: delivery.most)
        delivery.continuation.resume(returning: .failure(cause))
        // Not from here: it waits for the library, which may wait at the turnstile.
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
    /// - Returns: whether it is more than there may be.
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

/// Where it is thought about answers: on a thread of its own while there is something to do, so
/// that nobody who holds up Swift's shared threads holds up a delivery.
final class UpstreamExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "errands", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
