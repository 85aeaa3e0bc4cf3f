import BeemedDomain
import RelayHTTP

/// The last requests, how each was read and what came of it: for whoever wonders why a device's
/// press is not there. In memory only.
struct RequestLog {
    /// How a request was answered.
    struct Ending {
        /// The answer's status.
        var status: Int
        /// Why it was refused.
        var problem: Problem?
        /// Its name in the log and in the answer, when it was refused.
        var name: String?
    }

    /// One of them, from when it comes until it is answered and beyond: whoever deals with it
    /// writes down what it has seen. The request itself is shared; nothing is copied of it, and it
    /// is read again, and its secrets are taken out, when somebody looks.
    final class Entry {
        let time: UnixTime
        let peer: Address
        /// What was asked, without a body of more than `bodyBytes`; nil when the bytes were no
        /// request.
        let request: Request?
        let bodyBytes: Int
        /// Whose token it showed.
        var device: String?
        /// Whether it was to log one press.
        var isPress = false
        /// How many events it brought, where it could be several.
        var events: Int?
        /// Whether it only looked, which is not worth a line while it goes well: displays look
        /// all the time, and would push the presses out.
        var isReadOnly = false
        /// How it was answered; nil while it is not.
        var ending: Ending?

        /// Of a request that has just come; of bytes that are no request, without one.
        init(_ request: Request?, from peer: Address, at time: UnixTime) {
            self.time = time
            self.peer = peer
            bodyBytes = request?.body.count ?? 0
            let isKept = bodyBytes <= RequestLog.bodyBytes
            self.request = isKept ? request : request?.withoutBody
        }
    }

    /// Requests kept.
    static let most = 100
    /// Bytes of a body that is kept at most.
    static let bodyBytes = 4_096
    /// Bytes shown of a body that cannot be read.
    static let unreadableBytes = 256

    private var entries: [Entry] = []
    /// Where the next one goes, and the oldest stands once there are `most`.
    private var place = 0

    /// Notes a request.
    mutating func note(_ entry: Entry) {
        if entries.count < RequestLog.most {
            entries.append(entry)
        } else {
            entries[place] = entry
        }
        place = (place + 1) % RequestLog.most
    }

    /// All of them, the newest first.
    var newestFirst: [Entry] {
        let count = entries.count
        return (0..<count).map { entries[(place - 1 - $0 + 2 * RequestLog.most) % RequestLog.most] }
    }
}
