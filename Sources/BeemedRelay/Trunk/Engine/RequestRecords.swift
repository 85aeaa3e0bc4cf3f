import BeemedDomain
import RelayHTTP

/// The records of requests, for people: the latest requests, the refusals, and counts.
struct RequestRecords {
    var names = RequestNames()
    private(set) var requests = RequestLog()
    var refusals = RefusalLog()
    var metrics = Metrics()
    var accepted = AcceptedPresses()
    /// The known facts about the heads of the connections.
    var heads = KnownHeads()

    /// Paths that browsers request from every server of their own accord.
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
