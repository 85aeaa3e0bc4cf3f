import BeemedDomain
import RelayHTTP
import RelayTrunk

/// Health data, and the metrics that came.
extension Relay {
    /// `POST /health`: days of metrics, from any sender.
    func receiveHealth(_ call: Call, _ device: Device) throws(Problem) -> Response? {
        // Before its samples are stored: without an account nothing is taken.
        if engine.core.sync == .notConnected { throw .notConnected }
        let bytes = call.request.body
        // The samples of the folder's former user are still there.
        if engine.core.isBeingTakenOver { throw .tooManyBodies }
        guard hasPlace(forHealth: call) else { throw .tooManyBodies }
        let isDryRun = try BodyReader.fields(ofQuery: call.request.target.query).isDryRun
        health.reading[call.id] = HealthQueue.Pending(
            call: call, device: device, isDryRun: isDryRun)
        // As presses: the relay may know that its clock is wrong.
        let now = engine.core.corrected(call.moment).wall
        let calendar = engine.core.lastCalendar
        let job = HealthReading.Job(
            bytes: bytes,
            source: HealthBody.Source(
                calendar: calendar, now: now,
                summary: call.request[.automationAggregation]),
            rules: health.rules.book, goals: allowedGoals(of: device),
            store: files.store.samples, isDryRun: isDryRun, received: now,
            certainty: certainty(by: calendar))
        let (loop, id) = (loop, call.id)
        health.work.add {
            let result: Result<HealthReading, HealthReading.Failure>
            do throws(HealthReading.Failure) {
                result = .success(try HealthReading(job))
            } catch { result = .failure(error) }
            if bytes.count > HealthQueue.smallBytes { FreedMemory.giveBack() }
            loop.post {
                self.assumeIsolated { $0.processHealth(result, of: id) }
            }
        }
        return nil
    }

    private func certainty(by calendar: GoalCalendar) -> HealthReading.Certainty {
        if !health.held.isEmpty || !calendar.isZoneKnown { return .none }
        return engine.core.isTimeSure ? .all : .named
    }

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

extension FieldName {
    static let automationAggregation: FieldName = "automation-aggregation"
}
