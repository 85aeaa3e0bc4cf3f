import BeemedDomain
import RelayHTTP
import RelayTrunk

/// The metrics that came.
extension Relay {
    /// `GET /health/seen`: the metrics that came, and the rule that could be made of each.
    var seenMetrics: Response {
        let seen = health.seen
        let rules = health.rules.book.named.map { name, rule in
            (name, HealthMetric.identity(of: rule.metric))
        }
        return .json(
            JSONWriter.object { json in
                json.addArray("metrics") { list in
                    for (metric, last) in seen.metrics.sorted(by: { $0.key < $1.key }) {
                        list.object { last.write(metric, rules, to: &$0) }
                    }
                }
                if !seen.unread.isEmpty { json.addArray("unread", seen.writeUnread) }
            })
    }
}

extension SeenMetrics {
    fileprivate func writeUnread(to list: inout JSONWriter) {
        for (device, unread) in unread.sorted(by: { $0.key < $1.key }) {
            for element in unread.elements {
                list.object { json in
                    json.add("device", device)
                    json.add("at", unread.at)
                    element.write(to: &json)
                }
            }
        }
    }
}

extension SeenMetrics.Last {
    /// - Parameter rules: the rules' names, and the identities of their metrics.
    fileprivate func write(
        _ metric: String, _ rules: [(name: RuleName, metric: String)], to json: inout JSONWriter
    ) {
        let identity = HealthMetric.identity(of: metric)
        json.add("metric", metric)
        json.add("value", value)
        if !unit.isEmpty { json.add("unit", unit) }
        if !source.isEmpty { json.add("source", source) }
        if let day = Daystamp(day) { json.add("day", day.dashed) }
        json.add("at", at)
        json.addArray("rules") { list in
            for rule in rules where rule.metric == identity {
                list.element(rule.name.description)
            }
        }
        let aggregate = HealthMetric.known(metric)?.aggregate ?? .sum
        json.add("rule") { rule in
            rule.add("metric", metric)
            rule.add("goal", "GOAL")
            rule.add("aggregate", aggregate.rawValue)
            if !unit.isEmpty, HealthUnit(unit) != nil { rule.add("unit", unit) }
        }
    }
}
