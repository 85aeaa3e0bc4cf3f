import BeemedDomain
import RelayHTTP

/// A request in the list of the latest ones, from its receipt on: each stage adds its data. It is
/// redacted for display.
package class RequestEntry {
    struct Ending {
        var status: Int
        var problem: Problem?
        /// Its name in the log and in the answer, if it was refused.
        var name: String?
    }

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

    /// Bytes of a kept body, at most.
    private static let maxBodyBytes = 4_096

    /// For a request that has just arrived; nil for bytes that are no request.
    init(_ request: Request?, from peer: Address, at time: UnixTime) {
        self.time = time
        self.peer = peer
        bodyBytes = request?.body.count ?? 0
        shown = request
    }

    /// Drops a content that is too long to be shown, or is not to be shown: that of most requests
    /// may be a token, or the address of a service, in any form.
    final func dropUnshownContent() {
        guard bodyBytes > 0 else { return }
        let isShown = route?.traits.contains(.showsContent) ?? false
        if !isShown || bodyBytes > RequestEntry.maxBodyBytes { shown = shown?.withoutBody }
    }
}
