import BeemedDomain
import RelayHTTP

/// Limits the log lines for refusals, and for presses that are sent again: the first few of a kind
/// from an address or a device in each minute, and one summary line for the rest. So no client can
/// fill the disk, and the user still sees what came, from where, and how often.
struct RefusalLog: Sendable {
    /// The refusals that are counted together.
    struct Kind: Hashable, Sendable {
        /// Nil for the relay's own findings, and for a device: they are always counted.
        var peer: Address?
        /// Nil for presses that were accepted before.
        var code: ErrorCode?
        /// The device that sends such presses.
        var device: DeviceIdentity?
    }

    /// Lines of one kind per minute.
    static let maxLines = 5
    /// Kinds that are counted at once; beyond that, further ones share one counter without a line.
    static let maxKinds = 64
    /// The counting period, in seconds.
    static let seconds = 60.0

    private var counts: [Kind: Int] = [:]
    private var others = 0
    /// The end of the period; nil while nothing is counted.
    private(set) var summaryAt: Monotonic?

    /// Counts a refusal, or a press that is sent again.
    ///
    /// - Returns: whether this one gets a line of its own.
    mutating func count(_ kind: Kind, at now: Monotonic) -> Bool {
        if summaryAt == nil { summaryAt = now.adding(seconds: RefusalLog.seconds) }
        let hasPlace = counts[kind] != nil || counts.count < RefusalLog.maxKinds
        guard hasPlace || kind.peer == nil else {
            others += 1
            return false
        }
        counts[kind, default: 0] += 1
        return counts[kind, default: 0] <= RefusalLog.maxLines
    }

    /// How many have had no line in the period that has ended, by kind; those above the
    /// limit of kinds have none. Nil before the end of the period.
    mutating func takeSummary(at now: Monotonic) -> [(kind: Kind?, count: Int)]? {
        guard let due = summaryAt, due <= now else { return nil }
        var summary: [(kind: Kind?, count: Int)] = counts.filter { $0.value > RefusalLog.maxLines }
            .map { ($0.key, $0.value - RefusalLog.maxLines) }
        if others > 0 { summary.append((nil, others)) }
        counts.removeAll(keepingCapacity: true)
        (others, summaryAt) = (0, nil)
        return summary
    }
}

/// Generates names for requests, the same in the log and in the answer.
struct RequestNames: Sendable {
    private let start = UInt32.random(in: 0 ... .max)
    private var count: UInt32 = 0

    mutating func next() -> String {
        count &+= 1
        return String(start, radix: 36) + "-" + String(count, radix: 36)
    }
}
