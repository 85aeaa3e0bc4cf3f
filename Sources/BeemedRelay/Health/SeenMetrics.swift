import BeemedDomain

/// Every metric that ever came, with its last value: what a rule can be made of.
struct SeenMetrics: Codable, Sendable, Equatable {
    /// The last sample of a metric.
    struct Last: Codable, Sendable, Equatable {
        var value: Double
        var unit: String
        var source: String
        /// The day of the sample, as in `20261122`.
        var day: String
        /// When it came, in Unix seconds.
        var at: Int64
    }

    private(set) var metrics: [String: Last] = [:]

    /// The greatest number of metrics that are remembered.
    static let most = 300
    private static let nameLength = 100

    /// The unit of a metric's last sample; nil when none came.
    func unit(of metric: String) -> String? {
        let found = metrics.first { HealthMetric.isSame($0.key, metric) && !$0.value.unit.isEmpty }
        return found?.value.unit
    }

    /// Notes the last sample of each metric. A metric beyond the limit is not remembered.
    mutating func note(_ newest: [HealthSample], at now: UnixTime) {
        for sample in newest {
            guard let value = sample.value(of: nil) else { continue }
            note(
                sample.metric,
                Last(
                    value: value.value, unit: String(value.unit.prefix(SeenMetrics.nameLength)),
                    source: String(sample.source.prefix(SeenMetrics.nameLength)),
                    day: sample.span.day.description, at: now.seconds))
        }
    }

    /// Notes a visit under the place's name.
    mutating func note(_ visit: HealthBody.Visit, at now: UnixTime) {
        let last = Last(value: 1, unit: "visit", source: "OwnTracks", day: "", at: now.seconds)
        note(visit.place, last)
    }

    private mutating func note(_ metric: String, _ last: Last) {
        let name = String(metric.prefix(SeenMetrics.nameLength))
        guard !name.isEmpty, metrics[name] != nil || metrics.count < SeenMetrics.most else {
            return
        }
        metrics[name] = last
    }
}
