import BeemedDomain
import RelayHTTP

/// The last requests, how each was read and what came of it: for whoever wonders why a device's
/// press is not there. In memory only.
struct RequestLog: Sendable {
    /// How a request was answered.
    struct Ending: Sendable {
        /// The answer's status.
        var status: Int
        /// Why it was refused.
        var problem: Problem?
        /// Its name in the log and in the answer, when it was refused.
        var name: String?
    }

    /// What was made of a request on its way through the relay.
    struct Reading: Sendable {
        /// What was read of a press, without its token.
        var fields: PressFields?
        /// How many events it brought, where it could be several.
        var events: Int?
        /// Whether it only looked, which is not worth a line while it goes well: displays look
        /// all the time, and would push the presses out.
        var isLook = false
        /// The beginning of a body that could not be read.
        var unreadable: [UInt8] = []
        /// The answer, where it came before the request was noted.
        var ending: Ending?
    }

    /// One of them. What it points to is shared with the request; nothing is copied for it, and
    /// its secrets are taken out when somebody looks.
    struct Entry: Sendable {
        var time: UnixTime
        var peer: Address
        /// The answer that is awaited, until it is known.
        var exchange: ExchangeID?
        /// What was asked; nil when the bytes were no request.
        var head: Head?
        var bodyBytes = 0
        /// Whose token it showed.
        var device: String?
        var reading = Reading()
        /// How it was answered; nil while it is not.
        var ending: Ending?
    }

    /// The head of a request, without its body.
    struct Head: Sendable {
        var method: Method
        var target: Target
        var fields: Fields

        init(_ request: Request) {
            method = request.method
            target = request.target
            fields = request.fields
        }
    }

    /// Requests kept.
    static let most = 100
    /// Bytes kept of a body that could not be read.
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

    /// Notes the answer to a request that had to wait for it. It is one of the newest, if it is
    /// here still.
    ///
    /// - Returns: whether it is.
    mutating func settle(_ exchange: ExchangeID, _ ending: Ending) -> Bool {
        for age in 1...RequestLog.most {
            let index = (place - age + RequestLog.most) % RequestLog.most
            guard index < entries.count else { return false }
            guard entries[index].exchange == exchange else { continue }
            entries[index].exchange = nil
            entries[index].ending = ending
            return true
        }
        return false
    }

    /// All of them, the newest first.
    var newestFirst: [Entry] {
        let count = entries.count
        return (0..<count).map { entries[(place - 1 - $0 + 2 * RequestLog.most) % RequestLog.most] }
    }
}
