import BeemedDomain
import RelayHTTP

/// What is kept of requests, for people: the latest ones, and which were refused, and counts.
struct RequestRecords {
    var names = RequestNames()
    private(set) var requests = RequestLog()
    var refusals = RefusalLog()
    var metrics = Metrics()

    /// Records a request, unless it is a read without a refusal.
    mutating func note(_ entry: RequestLog.Entry) {
        guard entry.ending?.problem != nil || !entry.isReadOnly else { return }
        requests.note(entry)
    }
}
