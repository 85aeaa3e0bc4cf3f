import BeemedDomain
package import RelayHTTP

/// Counters since the start, for `GET /metrics`.
struct Metrics: Sendable {
    private(set) var accepted: UInt64 = 0
    private(set) var duplicates: UInt64 = 0
    /// Refusals of requests, and of single events of a batch, by status.
    private(set) var refusals: [Int: UInt64] = [:]
    /// Delivery attempts of single events, by result.
    private(set) var deliveries = Dictionary(
        uniqueKeysWithValues: Outcome.labels.map { ($0, UInt64(0)) })

    /// Requests by route and status. A list: few of them occur, and to look through them is quicker
    /// than to hash a route's pattern for each request.
    private(set) var requests: [(route: String, status: Int, count: UInt64)] = []

    mutating func count(_ route: String, status: Int) {
        let known = requests.firstIndex { $0.status == status && $0.route == route }
        let index = known ?? requests.count
        if known == nil { requests.append((route, status, 0)) }
        requests[index].count += 1
    }

    mutating func count(_ acceptance: Acceptance) {
        if acceptance.isDuplicate {
            duplicates += 1
        } else {
            accepted += 1
        }
    }

    mutating func count(_ problem: Problem) {
        refusals[problem.status, default: 0] += 1
    }

    mutating func count(_ input: Input) {
        if case .erased(_, let outcome) = input { return count(outcome, 1) }
        guard case .delivered(let batch, let result) = input else { return }
        switch result {
        case .whole(let outcome): count(outcome, batch.datapoints.count)
        case .each(let outcomes): for outcome in outcomes.values { count(outcome, 1) }
        }
    }

    private mutating func count(_ outcome: Outcome, _ events: Int) {
        deliveries[outcome.label, default: 0] += UInt64(events)
    }
}

extension Outcome {
    /// All labels. A series that begins with its first count cannot be missed while there is none.
    fileprivate static let labels = [
        "delivered", "erased", "unclear", "unreachable", "busy", "refused", "unauthorized",
        "no_such_goal", "misdirected",
    ]

    fileprivate var label: String {
        switch self {
        case .delivered: "delivered"
        case .erased: "erased"
        case .unclear, .outdated, .unchangeable: "unclear"
        case .unreachable: "unreachable"
        case .busy: "busy"
        case .refused: "refused"
        case .unauthorized, .forbidden: "unauthorized"
        case .noSuchGoal: "no_such_goal"
        case .misdirected: "misdirected"
        }
    }
}

/// Metrics in the text format of Prometheus, version 0.0.4.
package struct MetricsText {
    private var lines: [String] = []

    /// A text without metrics.
    package init() {}

    private static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The answer with this text.
    package var response: Response {
        Response(
            status: 200,
            fields: [Response.Field("Content-Type", MetricsText.contentType), .notStored],
            body: bytes)
    }

    /// The text of the gauge that the leader and its followers have.
    package static let leaderHelp = "1 while this relay leads its cluster."

    /// A counter, with its numbers by labels such as `status="404"`; equal ones are added.
    mutating func counter(_ name: String, _ help: String, _ counts: [(String, UInt64)]) {
        family(name, "counter", help)
        add(name, Dictionary(counts, uniquingKeysWith: +).map { ($0, Double($1)) })
    }

    mutating func counter(_ name: String, _ help: String, _ count: UInt64) {
        counter(name, help, [("", count)])
    }

    /// A gauge, with its values by labels.
    mutating func gauge(_ name: String, _ help: String, _ values: [(String, Double)]) {
        family(name, "gauge", help)
        add(name, values)
    }

    /// A gauge without labels.
    package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        gauge(name, help, [("", value)])
    }

    /// A histogram, each bucket with the smaller ones.
    mutating func histogram(_ name: String, _ help: String, _ times: SyncTimes) {
        family(name, "histogram", help)
        var count: UInt64 = 0
        for (bound, more) in zip(SyncTimes.bounds, times.counts) {
            count += more
            lines.append("\(name)_bucket{le=\"\(bound.shortText)\"} \(count)")
        }
        lines.append("\(name)_bucket{le=\"+Inf\"} \(times.batches)")
        lines.append("\(name)_sum \(times.seconds.shortText)")
        lines.append("\(name)_count \(times.batches)")
    }

    var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

    private mutating func add(_ name: String, _ samples: [(String, Double)]) {
        for (labels, value) in samples.sorted(by: { $0.0 < $1.0 }) {
            lines.append("\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value.shortText)")
        }
    }

    private mutating func family(_ name: String, _ type: String, _ help: String) {
        lines.append("# HELP \(name) \(help)")
        lines.append("# TYPE \(name) \(type)")
    }
}
