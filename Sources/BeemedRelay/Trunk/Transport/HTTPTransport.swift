import BeemedDomain
import Dispatch

/// The reason why there is no answer.
package enum TransportFailure: Error, Equatable {
    /// The library's error number. Its message may contain the URL, and so a token.
    case network(CInt)
    /// The answer exceeded the limit.
    case tooLarge(bytes: Int)
    /// There is nothing to send requests with.
    case noLibrary
    /// A header field would have had control characters (`OutgoingRequest.set`).
    case unsendable
    /// Another account is connected, or none: the request was not sent.
    case accountChanged
    /// Another relay of the cluster may lead: the request was not sent.
    case notLeading

    /// Error text for the user, without the URL.
    package var words: String {
        switch self {
        case .network(let code): NetworkError.words(code)
        case .tooLarge(let bytes): "an answer of more than \(bytes) bytes"
        case .unsendable: "a token, a user or an address has control characters in it"
        case .noLibrary: "libcurl cannot be loaded; on Debian install the package libcurl4"
        case .accountChanged: "not asked: the account was changed meanwhile"
        case .notLeading: "not asked: another relay of the cluster may lead"
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

extension LeaseTerm? {
    /// Whether a request to Beeminder may begin or go on: two relays must never deliver the same
    /// journal. A relay without a cluster has no term, and may always send.
    var maySend: Bool { self?.allowsRequests ?? true }
}
