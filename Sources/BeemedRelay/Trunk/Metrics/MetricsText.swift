import BeemedDomain
package import RelayHTTP

/// Metrics in the text format of Prometheus, version 0.0.4.
package struct MetricsText {
    private var lines: [String] = []

    /// A text without metrics.
    package init() {}

    private static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The answer with it.
    package var response: Response {
        Response(
            status: 200,
            fields: [Response.Field("Content-Type", MetricsText.contentType), .notStored],
            body: bytes)
    }

    /// The text of the gauge that the leader and its followers have.
    package static let leaderHelp = "1 while this relay leads its cluster."

    /// A counter.
    mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        family(name, "counter", help)
        lines.append("\(name) \(value)")
    }

    /// A counter with one label.
    mutating func counter(
        _ name: String, _ help: String, by label: String, _ values: [(String, UInt64)]
    ) {
        family(name, "counter", help)
        for (value, count) in values.sorted(by: { $0.0 < $1.0 }) {
            lines.append("\(name){\(label)=\"\(value)\"} \(count)")
        }
    }

    /// A gauge.
    package mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        family(name, "gauge", help)
        lines.append("\(name) \(value.shortText)")
    }

    /// A gauge with one label.
    mutating func gauge(
        _ name: String, _ help: String, by label: String, _ values: [(String, Double)]
    ) {
        family(name, "gauge", help)
        for (value, number) in values.sorted(by: { $0.0 < $1.0 }) {
            lines.append("\(name){\(label)=\"\(value)\"} \(number.shortText)")
        }
    }

    /// Requests by route and status.
    mutating func counter(
        _ name: String, _ help: String, _ requests: [Metrics.RequestCount]
    ) {
        family(name, "counter", help)
        var counts: [String: UInt64] = [:]
        for kind in requests {
            counts["route=\"\(kind.route)\",status=\"\(kind.status)\"", default: 0] += kind.count
        }
        for (labels, count) in counts.sorted(by: { $0.key < $1.key }) {
            lines.append("\(name){\(labels)} \(count)")
        }
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

    private mutating func family(_ name: String, _ type: String, _ help: String) {
        lines.append("# HELP \(name) \(help)")
        lines.append("# TYPE \(name) \(type)")
    }
}
