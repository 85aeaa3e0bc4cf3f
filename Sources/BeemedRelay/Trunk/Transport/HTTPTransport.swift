package import BeemedDomain
import Dispatch

/// HTTP requests to Beeminder, with limits on time and length. Redirects are not followed, nothing
/// is cached, and cookies are not kept. Uses libcurl on Linux, URLSession elsewhere.
package final class HTTPTransport: Sendable {
    /// The reason why there is no answer.
    package enum Failure: Error, Equatable {
        /// The URL library's error code. Its message may contain the URL, and so a token.
        case network(Int)
        /// The answer exceeded the limit.
        case tooLarge(bytes: Int)
        /// There is nothing to send requests with.
        case noLibrary
        /// A header field would have had control characters (`OutgoingRequest.set`).
        case unsendable

        /// Error text for the user, without the URL.
        package var words: String {
            switch self {
            case .network(let code): NetworkError.words(code)
            case .tooLarge(let bytes): "an answer of more than \(bytes) bytes"
            case .unsendable: "a token, a user or an address has control characters in it"
            case .noLibrary: "libcurl.so.4 cannot be loaded; install the package libcurl4"
            }
        }
    }

    /// Maximum duration of an attempt in seconds, even while bytes arrive.
    private static let patience = 30.0
    #if os(Linux)
        private let library = CurlTransport(sendsOnce: true)
    #else
        private let library = SessionTransport()
    #endif

    /// Requests on connections of their own.
    package init() {}

    /// Whether requests can be sent. Loads what sends them.
    package static var isAvailable: Bool {
        #if os(Linux)
            return CurlTransport.isAvailable
        #else
            return true
        #endif
    }

    /// Sends a request and waits for the answer, 30 s at most.
    ///
    /// - Parameters:
    ///   - bytes: maximum length of the answer's body.
    ///   - permit: the request is cancelled when it ends.
    package func send(
        _ request: OutgoingRequest, atMost bytes: Int, under permit: SendPermit
    ) async -> Result<UpstreamAnswer, Failure> {
        await library.send(
            request, atMost: bytes, within: HTTPTransport.patience, under: permit)
    }
}

/// Executor for requests to others: a thread of its own
/// while there is work, so that blocked threads of Swift's shared pool delay none.
package final class RequestExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "requests", qos: .userInitiated)

    /// An executor without work.
    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Permission to call Beeminder. In a cluster only the leader has it, and only as long as its lease
/// cannot have ended: two relays must never deliver the same journal.
package struct SendPermit: Sendable {
    /// Nil for a relay that is alone.
    private let term: LeaseTerm?

    /// A relay without a cluster may always call.
    package static let alone = SendPermit(term: nil)

    private init(term: LeaseTerm?) {
        self.term = term
    }

    /// The permission of a leader.
    ///
    /// - Parameter proof: shows that this relay leads when the call begins.
    init(_ proof: Leadership, of term: LeaseTerm) {
        self.term = term
    }

    /// The permission of a relay that leads, or is alone; nil when the term has ended.
    static func now(of term: LeaseTerm?) -> SendPermit? {
        guard let term else { return alone }
        return term.proof.map { SendPermit($0, of: term) }
    }

    /// Whether the call may go on.
    var isValid: Bool { term.map { $0.proof != nil } ?? true }
}
