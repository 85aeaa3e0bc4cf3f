/// Several turns of the loop whose records are written with one sync, on the loop. After many
/// requests others may have come meanwhile, so it looks again before it syncs: with 64 clients a sync
/// is shared by 60 presses, not 40 (`Benchmarks/README.md`). Where a thread syncs, they collect by
/// themselves.
struct GroupCommit: Sendable {
    /// The most turns: no press waits for longer, whoever else comes.
    private static let maxTurns = 4
    /// The turns whose records wait.
    private var turns = 0
    /// Whether requests have come since the last look.
    private var hasNew = false

    /// Whether records wait.
    var isUnderWay: Bool { turns > 0 }

    /// Whether the records of a turn with so many requests wait for those of another turn. Nothing is
    /// expected behind a request that comes alone.
    mutating func waits(after requests: Int) -> Bool {
        guard requests > 1, turns < GroupCommit.maxTurns else { return false }
        turns += 1
        hasNew = true
        return true
    }

    /// Whether to look at the sockets before the records are written: once after each such turn.
    mutating func looksAgain() -> Bool {
        defer { hasNew = false }
        return hasNew
    }
}
