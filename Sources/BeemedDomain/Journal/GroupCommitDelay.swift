/// A short wait before a batch on a slow disk, for those who were just answered.
///
/// Without it two halves of the clients take turns: each half sends again while the other one's
/// sync is under way, and every press waits for two syncs. It lasts an eighth of a sync at most,
/// and ends as soon as as many records wait as there were clients: one client alone never waits.
struct GroupCommitDelay: Sendable, Equatable {
    /// The records of the last batch, and those that waited when it was durable.
    private let records: Int
    /// When the batch begins in any case.
    let end: Monotonic

    /// The shortest sync after which waiting pays, in seconds.
    static let slow = 0.004
    /// The longest wait, in seconds.
    static let longest = 0.004

    /// - Parameters:
    ///   - records: the number of records of the last batch.
    ///   - waiting: the number of records that wait already.
    ///   - seconds: how long the last batch took.
    init?(after records: Int, waiting: Int, seconds: Double, at now: Monotonic) {
        guard seconds >= GroupCommitDelay.slow, records + waiting > 1 else { return nil }
        self.records = records + waiting
        end = now.adding(seconds: min(seconds / 8, GroupCommitDelay.longest))
    }

    /// Whether a batch of so many records should wait for more.
    func holds(_ waiting: Int, at now: Monotonic) -> Bool { waiting < records && now < end }
}
