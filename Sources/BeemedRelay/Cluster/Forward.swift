import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization

/// One request that is passed on to the leader, on a thread of its own.
final class Forward: Sendable {
    let leader: Endpoint
    /// Whether the client still waits, and that relay still leads.
    let isWanted = Atomic(true)
    /// Whether a part of the answer has come.
    let hasBegun = Atomic(false)
    /// Signalled when the client has been sent all parts so far.
    private let sent = DispatchSemaphore(value: 0)

    /// How long connecting and sending may take, in seconds.
    private static let seconds = 2.0
    /// The status with which a relay that does not lead refuses what another one passes on. The
    /// relay itself never answers it.
    static let notLeading = 502

    init(to leader: Endpoint) {
        self.leader = leader
    }

    /// - Parameters:
    ///   - check: called about once a second; clears `isWanted` if the client has gone.
    ///   - report: receives the parts of the answer.
    /// - Returns: why there is no answer, or no whole one; nil when there is.
    func run(
        _ request: Request, _ fields: [(name: String, value: String)], check: () -> Void,
        report: (Forwarding.Piece) -> Void
    ) -> Forwarding.Fault? {
        var (isRefused, isLong) = (false, false)
        do throws(Forwarding.Fault) {
            try Forwarding.send(
                request, with: fields, to: leader, seconds: Forward.seconds,
                while: {
                    check()
                    return isWanted.load(ordering: .relaxed)
                }
            ) { piece in
                if case .whole(let response) = piece, response.status == Forward.notLeading {
                    isRefused = true
                    return
                }
                if case .opening(_, hasEnd: true) = piece { isLong = true }
                hasBegun.store(true, ordering: .relaxed)
                while sent.wait(timeout: .now()) == .success {}
                report(piece)
                if isLong, case .more = piece { awaitSent(check) }
            }
            return isRefused ? .notSent : nil
        } catch { return error }
    }

    /// The client has been sent all parts so far.
    func didSend() { sent.signal() }

    /// Waits for a slow client, so that a long answer is not kept in memory.
    private func awaitSent(_ check: () -> Void) {
        while isWanted.load(ordering: .relaxed), sent.wait(timeout: .now() + 1) == .timedOut {
            check()
        }
    }
}

extension Forward {
    /// Fields that belong to one connection (RFC 9110 section 7.6.1), to the framing, or that this
    /// relay sets.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "transfer-encoding", "content-length", "expect", "te",
        "upgrade", "proxy-connection", "trailer", "host", "x-forwarded-for", "x-beemed-forwarded",
    ]
    /// Fields that count only if a trusted proxy has set them. The leader trusts this relay, so a
    /// client must not set them through it.
    private static let droppedOfStrangers: Set<String> = [
        "x-forwarded-host", "x-forwarded-prefix", "x-forwarded-proto", "x-ingress-path",
    ]

    /// The fields of a request as the leader gets them, with the client's address.
    static func fields(
        of exchange: Exchange, trusting proxies: Proxies, to leader: Endpoint
    ) -> [(name: String, value: String)] {
        let request = exchange.request
        var dropped = Forward.dropped
        if !proxies.trust(exchange.peer.address) { dropped.formUnion(droppedOfStrangers) }
        for name in request.fields.all(.connection).flatMap({ $0.split(separator: ",") }) {
            dropped.insert(name.drop { $0 == " " || $0 == "\t" }.lowercased())
        }
        // A request of HTTP/1.0 may have no host, and that of a URL counts more than the field.
        var fields = [(name: "Host", value: request.host ?? "\(leader)")]
        fields += request.fields.list.filter { !dropped.contains($0.name.lowercased()) }
        let client = proxies.client(of: request, from: exchange.peer.address)
        fields.append(("X-Forwarded-For", "\(client)"))
        fields.append(("X-Beemed-Forwarded", "1"))
        return fields
    }
}

extension FieldName {
    static let forwardedByRelay: FieldName = "X-Beemed-Forwarded"
    fileprivate static let connection: FieldName = "Connection"
}

/// The health of a relay that follows: whether it can pass requests on.
struct FollowerHealth {
    /// Nil when no leader is known.
    let leader: Endpoint?

    var response: Response {
        let body = JSONWriter.object { json in
            json.add("status", leader == nil ? "failing" : "ok")
            json.add("role", "follower")
            if let leader { json.add("leader", "\(leader)") }
            json.addArray("alarms") { list in
                if leader == nil { list.element("no relay of the cluster leads: see 'doctor'") }
            }
        }
        return .json(body, status: leader == nil ? 503 : 200)
    }
}
