import BeemedDomain
import RelayHTTP

/// The latest requests, in memory only: they show the user why a device's press is missing.
package struct RequestLog {
    struct Ending {
        var status: Int
        var problem: Problem?
        /// Its name in the log and in the answer, if it was refused.
        var name: String?
    }

    /// A request, from its receipt on: each stage adds its data. It is redacted for display.
    package class Entry {
        final let time: UnixTime
        final let peer: Address
        /// The request, without a content that was dropped; nil when the bytes were no request.
        final private(set) var shown: Request?
        /// The length of the content, in bytes.
        package final let bodyBytes: Int
        /// Nil before its path was looked up, and where that has no route.
        final var route: Route?
        final var device: String?
        final var isPress = false
        /// The number of its events, if it may contain several.
        package final var events: Int?
        /// The answer; nil while there is none.
        final var ending: Ending?

        /// For a request that has just arrived; nil for bytes that are no request.
        init(_ request: Request?, from peer: Address, at time: UnixTime) {
            self.time = time
            self.peer = peer
            bodyBytes = request?.body.count ?? 0
            shown = request
        }

        /// Drops a content that is too long to be shown, or is not to be shown: that of most
        /// requests may be a token, or the address of a service, in any form.
        final func dropUnshownContent() {
            guard bodyBytes > 0 else { return }
            let isShown = route?.traits.contains(.showsContent) ?? false
            if !isShown || bodyBytes > RequestLog.bodyBytes { shown = shown?.withoutBody }
        }
    }

    static let maxEntries = 100
    /// Requests among them whose sender is not known, at most: those of strangers must not displace
    /// those of devices.
    static let maxOfStrangers = 25
    /// Bytes of a kept body, at most.
    static let bodyBytes = 4_096
    static let unreadableBytes = 256

    private var entries: [Entry] = []

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        if entry.device == nil {
            let latest = entries.suffix(RequestLog.maxEntries)
            if latest.count(where: { $0.device == nil }) > RequestLog.maxOfStrangers,
                let oldest = latest.firstIndex(where: { $0.device == nil })
            {
                entries.remove(at: oldest)
            }
        }
        // Not each time: to move a hundred entries takes as long as to write an answer.
        if entries.count >= 2 * RequestLog.maxEntries {
            entries.removeFirst(RequestLog.maxEntries)
        }
    }

    var newestFirst: [Entry] { entries.suffix(RequestLog.maxEntries).reversed() }
}
