/// An HTTP request to another server, as `CurlTransport` and URLSession send it.
struct OutgoingRequest: Sendable, Equatable {
    /// The URL; a transport refuses one that it cannot read.
    var url: String
    var method: String
    /// The header fields, besides those that every request has.
    var fields: [String: String] = [:]
    var body: [UInt8]?

    /// Creates a request without fields and body.
    init(_ method: String, _ url: String) {
        self.method = method
        self.url = url
    }
}

/// The numbers of network errors: those of Apple's URL library on every system, so that one number
/// means one thing.
enum NetworkError {
    static let unknown = -1
    static let badURL = -1_000
    static let timedOut = -1_001
    static let cannotFindHost = -1_003
    static let cannotConnectToHost = -1_004
    static let connectionLost = -1_005
    static let secureConnectionFailed = -1_200

    /// What a number means, for people.
    static func words(_ number: Int) -> String {
        switch number {
        case badURL: "the address is not a URL"
        case timedOut: "no answer in time"
        case cannotFindHost: "the server's name is not found (DNS)"
        case cannotConnectToHost: "nothing answers at that address"
        case connectionLost: "the connection ended before the answer"
        case secureConnectionFailed: "no secure connection (TLS)"
        default: "no answer (network error \(number))"
        }
    }
}
