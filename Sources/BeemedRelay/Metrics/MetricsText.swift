/// Metrics in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    private var lines: [String] = []

    /// The media type.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

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
    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        family(name, "gauge", help)
        lines.append("\(name) \(MetricsText.number(value))")
    }

    /// A summary: a count and a sum.
    mutating func summary(_ name: String, _ help: String, count: UInt64, sum: Double) {
        family(name, "summary", help)
        lines.append("\(name)_sum \(MetricsText.number(sum))")
        lines.append("\(name)_count \(count)")
    }

    var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

    private mutating func family(_ name: String, _ type: String, _ help: String) {
        lines.append("# HELP \(name) \(help)")
        lines.append("# TYPE \(name) \(type)")
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
