import BeemedDomain
import RelayTrunk

/// HC Webhook (Android Health Connect): one list for each type, at the top or, with its preset
/// `Open Wearables`, one list of records (mcnaveen/health-connect-webhook, `SyncManager.kt` and
/// `WebhookPayloadTransformer.kt`).
extension HealthBody {
    mutating func readHealthConnect(_ members: [String: JSONTree]) throws(Fault) {
        var isKnown = members["app_version"] != nil || members["appVersion"] != nil
        if case .flag(true)? = members["test"] {
            (isTest, isKnown) = (true, true)
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let list = value.elements, list.contains(where: { $0.members != nil }) else {
                continue
            }
            let count = try readRecords(list, at: name, of: members) { _ in name }
            // Records of a known metric of which none can be read are told one by one.
            if count > 0 || HealthMetric.known(name) != nil { isKnown = true }
        }
        guard isKnown else { throw .unknownShape }
    }

    /// - Parameter type: the metric of a record; nil for none.
    /// - Returns: how many of them are records of health data.
    @discardableResult mutating func readRecords(
        _ records: [JSONTree], at position: String, of members: [String: JSONTree],
        type: (HealthRecord) -> String?
    ) throws(Fault) -> Int {
        let calendar = source.calendar
        return try parse(
            records, at: { "\(position)[\($0)]" },
            { (record) throws(Unreadable) in
                guard let type = type(record), !type.isEmpty else {
                    throw Unreadable("it is not a record with a type")
                }
                var sample = try record.sample(of: type, .record, calendar)
                if sample.isDayUntilNow { sample.span.moment = nil }
                sample.cutAtMidnight()
                return sample
            },
            changing: { if HealthBody.cutsDays(members) { HealthBody.markCutDays(&$0) } })
    }

    /// Whether the app calls the oldest bucket of a day a whole one, although it begins at the hour
    /// of the sync two days later (mcnaveen/health-connect-webhook, issue 72; mended in 1.9.20).
    private static func cutsDays(_ members: [String: JSONTree]) -> Bool {
        let text = members["app_version"]?.text ?? members["appVersion"]?.text
        guard let version = text?.prefix(20).split(separator: ".").map({ Int($0) ?? 0 }),
            !version.isEmpty
        else { return false }
        return version.lexicographicallyPrecedes([1, 9, 20])
    }

    private static func markCutDays(_ samples: inout [HealthSample]) {
        let days = samples.indices.filter { samples[$0].isWholeDay }
        let oldest = Dictionary(days.map { (samples[$0].metric, $0) }) {
            samples[$1].span.start < samples[$0].span.start ? $1 : $0
        }
        for index in oldest.values { samples[index].mayBePart = true }
    }
}

extension HealthSample {
    /// Leaves out the time of the next day, where it counts for this one: the day's total covers
    /// that then.
    fileprivate mutating func cutAtMidnight() {
        guard !isSession, span.second > 0 else { return }
        span.end = min(span.end, span.start - span.second + 86_400)
    }

    /// Whether this is an app's sum over a calendar day.
    fileprivate var isWholeDay: Bool {
        source.isEmpty && !isSession && (23 * 3_600...25 * 3_600).contains(span.end - span.start)
    }

    /// Whether this is an app's sum since midnight: the total of a day, which cannot be split at a
    /// goal's deadline. Buckets of minutes are an hour long at most.
    fileprivate var isDayUntilNow: Bool {
        source.isEmpty && !isSession && span.second == 0 && span.end - span.start > 3_600
    }
}
