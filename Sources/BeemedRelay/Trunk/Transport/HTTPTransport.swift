package import BeemedDomain
import Dispatch

/// The system's way to send HTTP requests, with limits on time and length: libcurl on Linux,
/// URLSession elsewhere. Redirects are not followed, nothing is cached, and cookies are not kept.
package protocol HTTPTransport: AnyObject, Sendable {
    /// Whether requests can be sent. Loads what sends them.
    static var isAvailable: Bool { get }

    /// A transport of its own connections.
    ///
    /// - Parameters:
    ///   - connectSeconds: the maximum duration of connecting; nil for the library's own.
    ///   - sendsOnce: whether a request that changes something is sent on a new connection. When a
    ///     kept one ends without an answer libcurl sends the request again by itself, and nobody
    ///     would know that the first one may still be applied, after what was done since.
    init(connectSeconds: Double?, sendsOnce: Bool)

    /// Sends a request on the calling thread, which waits for the answer.
    ///
    /// - Parameters:
    ///   - bytes: maximum length of the answer's body.
    ///   - seconds: maximum duration of the whole exchange, even while bytes arrive.
    ///   - permit: the request is cancelled within a second when it ends.
    func perform(
        _ request: OutgoingRequest, atMost bytes: Int, within seconds: Double,
        under permit: SendPermit
    ) -> Result<UpstreamAnswer, TransportFailure>
}

#if os(Linux)
    /// The transport of this system.
    package typealias SystemTransport = CurlTransport
#else
    /// The transport of this system.
    package typealias SystemTransport = SessionTransport
#endif

extension HTTPTransport {
    /// Requests to Beeminder and to services of reminders.
    package init() { self.init(connectSeconds: nil, sendsOnce: true) }

    /// Sends a request that may take 30 s.
    package func perform(
        _ request: OutgoingRequest, atMost bytes: Int, under permit: SendPermit
    ) -> Result<UpstreamAnswer, TransportFailure> {
        perform(request, atMost: bytes, within: 30, under: permit)
    }
}

/// The reason why there is no answer.
package enum TransportFailure: Error, Equatable {
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

/// A thread for requests to others, so that one that hangs delays nothing else, unless the system
/// has no more threads.
package enum RequestThread {
    /// Runs the body, which may wait, on a thread that ends with it.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        let hasStarted = SystemThread.startIfPossible("request", stackBytes: 1 << 20, body)
        // A system that has no more threads may still have those of its pool.
        if !hasStarted { DispatchQueue.global(qos: .userInitiated).async(execute: body) }
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
