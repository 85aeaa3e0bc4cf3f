import BeemedDomain
import RelayHTTP

/// Which refusals get a line in the log: the first few of a kind from an address in each minute,
/// and one line for the rest. So a stranger who asks all day fills no disk, and a person still sees
/// what came, from where, and how often.
struct RefusalLog: Sendable {
    /// What is counted together.
    struct Kind: Hashable, Sendable {
        var peer: Address
        var code: ErrorCode
    }

    /// Lines of one kind in a minute.
    static let mostLines = 5
    /// Kinds that are counted at once; past it, further ones are counted together without a line.
    static let mostKinds = 64
    /// How long is counted, in seconds.
    static let seconds = 60.0

    private var counts: [Kind: Int] = [:]
    private var others = 0
    /// When the minute is over; nil while nothing is counted.
    private(set) var summaryAt: Monotonic?

    /// Counts a refusal.
    ///
    /// - Returns: whether it gets a line of its own.
    mutating func note(_ kind: Kind, at now: Monotonic) -> Bool {
        if summaryAt == nil { summaryAt = now.adding(seconds: RefusalLog.seconds) }
        guard counts[kind] != nil || counts.count < RefusalLog.mostKinds else {
            others += 1
            return false
        }
        counts[kind, default: 0] += 1
        return counts[kind, default: 0] <= RefusalLog.mostLines
    }

    /// What had no line of its own in the minute that is over, by kind; without a kind, what there
    /// was besides. Nil before the minute is over.
    mutating func takeSummary(at now: Monotonic) -> [(kind: Kind?, count: Int)]? {
        guard let due = summaryAt, due <= now else { return nil }
        var summary: [(kind: Kind?, count: Int)] = counts.filter { $0.value > RefusalLog.mostLines }
            .map { ($0.key, $0.value - RefusalLog.mostLines) }
        if others > 0 { summary.append((nil, others)) }
        counts.removeAll(keepingCapacity: true)
        (others, summaryAt) = (0, nil)
        return summary
    }
}
