import BeemedDomain
import RelayHTTP
import RelayTrunk

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

/// The metrics of a relay that follows. They need no token, since only the leader knows tokens, and
/// say nothing about presses.
struct FollowerMetrics {
    /// Requests that wait for a leader.
    let held: Int
    /// Requests that the leader works at.
    let forwarded: Int
    let connections: Int
    let uptime: Double

    var response: Response {
        var text = MetricsText()
        text.gauge("beemed_cluster_leader", MetricsText.leaderHelp, 0)
        text.gauge("beemed_cluster_held", "Requests that wait for a leader.", Double(held))
        text.gauge(
            "beemed_cluster_forwarded", "Requests that are passed on to the leader.",
            Double(forwarded))
        text.gauge("beemed_connections", "Open connections.", Double(connections))
        text.gauge("beemed_uptime_seconds", "Seconds since the start.", uptime)
        return text.response
    }
}

extension Response.Field {
    /// The name of the field by which a relay tells another one that it does not lead.
    static let notLeading: StaticString = "X-Beemed-Not-Leading"
}

extension Response {
    /// The answer of a relay that does not lead to another one: nothing was taken, and sending
    /// again is safe.
    static var notLeading: Response {
        var problem = Problem.noLeader
        problem.fields.append(Field(Response.Field.notLeading, "1"))
        return problem.response(request: "-")
    }

    /// Whether the relay that was asked does not lead.
    var isOfNoLeader: Bool { status == 503 && field("\(Response.Field.notLeading)") != nil }
}
