import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The metrics that came last, each with its last value: what a rule can be made of.
struct SeenMetrics: Codable, Sendable, Equatable {
    struct Last: Codable, Sendable, Equatable {
        var value: Double
        var unit: String
        var source: String
        /// The day of the sample, as in `20261122`.
        var day: String
        /// When the sample came, in Unix seconds.
        var at: Int64
    }

    /// The parts of a device's last body that could not be read.
    struct Unread: Codable, Sendable, Equatable {
        var elements: [Unreadable]
        /// When the body came, in Unix seconds.
        var at: Int64
    }

    private(set) var metrics: [String: Last] = [:]
    /// By the device's name.
    private var unread: [String: Unread] = [:]

    /// The greatest number of metrics that are remembered.
    static let maxMetrics = 300
    /// The greatest number of devices of which it is remembered what could not be read.
    static let maxSenders = 16

    /// The unit of a metric's last sample; nil when none came.
    func unit(of metric: String) -> String? {
        let identity = HealthMetric.identity(of: metric)
        let found = metrics.filter {
            !$0.value.unit.isEmpty && HealthMetric.identity(of: $0.key) == identity
        }
        return found.values.max { $0.at < $1.at }?.unit
    }

    /// Notes the last sample of each metric. Beyond the limit those are forgotten that came longest
    /// ago.
    mutating func note(_ newest: [HealthSample], at now: UnixTime) {
        for sample in newest {
            let name = sample.metric.cut(to: HealthSample.maxLetters)
            guard let value = sample.value(of: nil), !name.isEmpty else { continue }
            metrics[name] = Last(
                value: value.value, unit: value.unit,
                source: sample.source.cut(to: HealthSample.maxLetters),
                day: sample.day.description, at: now.seconds)
        }
        guard metrics.count > SeenMetrics.maxMetrics else { return }
        let kept = metrics.sorted { ($0.value.at, $1.key) > ($1.value.at, $0.key) }
        metrics = Dictionary(
            uniqueKeysWithValues: kept.prefix(SeenMetrics.maxMetrics).map { ($0, $1) })
    }

    /// Notes what could not be read of a device's body, in the place of what could not be read of
    /// its last one.
    mutating func note(_ elements: [Unreadable], from device: String, at now: UnixTime) {
        unread[device] =
            elements.isEmpty ? nil : Unread(elements: elements, at: now.seconds)
        guard unread.count > SeenMetrics.maxSenders,
            let oldest = unread.min(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) })
        else { return }
        unread[oldest.key] = nil
    }

    /// `GET /health/seen`: the metrics that came, and the rule that could be made of each.
    static func show(_ relay: isolated Relay, _ call: Call) -> Response? {
        let seen = relay.health.seen
        let metrics = seen.metrics.sorted { $0.key < $1.key }
        let unread = seen.unread.sorted { $0.key < $1.key }
            .flatMap { device, unread in unread.elements.map { (device, unread.at, $0) } }
        let rules = relay.health.rules.book.named.map { name, rule in
            (name, HealthMetric.identity(of: rule.metric))
        }
        return .json { json in
            json.addArray("metrics", of: metrics) { metric, json in
                let (name, last) = metric
                let (known, identity) = (HealthMetric.known(name), HealthMetric.identity(of: name))
                json.add("metric", name)
                json.add("value", last.value)
                if !last.unit.isEmpty { json.add("unit", last.unit) }
                if !last.source.isEmpty { json.add("source", last.source) }
                if let day = Daystamp(last.day) { json.add("day", day.dashed) }
                json.add("at", last.at)
                json.addArray("rules", of: rules.filter { $0.1 == identity }.map(\.0.description))
                json.add("rule") { rule in
                    rule.add("metric", name)
                    rule.add("goal", "GOAL")
                    rule.add("aggregate", (known?.aggregate ?? .sum).rawValue)
                    if HealthUnit(last.unit) != nil, !last.unit.isEmpty {
                        rule.add("unit", last.unit)
                    }
                }
            }
            guard !unread.isEmpty else { return }
            json.addArray("unread", of: unread) { unread, json in
                let (device, at, element) = unread
                json.add("device", device)
                json.add("at", at)
                element.write(to: &json)
            }
        }
    }
}
