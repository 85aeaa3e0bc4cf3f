import BeemedDomain
import RelayHTTP

/// What is kept of requests, for people: the latest ones, and which were refused, and counts.
struct RequestRecords {
    var names = RequestNames()
    private(set) var requests = RequestLog()
    var refusals = RefusalLog()
    var metrics = Metrics()
    var accepted = AcceptedPresses()
    /// What is known of the heads of the connections.
    var heads = KnownHeads()

    /// What browsers ask every server for, without anybody wishing it.
    private static let unasked: Set<String> = [
        "/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png", "/robots.txt",
    ]

    /// Records how a request ended, and counts it.
    mutating func end(_ entry: RequestLog.Entry, _ ending: RequestLog.Ending) {
        entry.ending = ending
        metrics.count(entry.route, status: ending.status)
    }

    /// Records a request, unless it is a read without a refusal, or of a browser's own accord.
    mutating func record(_ entry: RequestLog.Entry) {
        let isRefused = entry.ending?.problem != nil
        guard isRefused || !entry.isReadOnly else { return }
        if isRefused, let path = entry.shown?.target.path,
            RequestRecords.unasked.contains(path)
        {
            return
        }
        requests.append(entry)
    }
}
