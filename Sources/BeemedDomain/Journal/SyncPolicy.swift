/// Decides which thread syncs: the journal's thread, or the caller in place.
///
/// Writing in place saves two switches of threads for each batch. It pays when presses come one at
/// a time, and with many of them when a sync is quicker than what else there is to do meanwhile:
/// the loop reads all that is ready, writes it with one sync, and answers. On other disks the
/// journal's thread waits and the loop goes on. So batches are measured until enough of them in a
/// row were fast. One slow sync in place ends writing in place: the loop is blocked once only.
struct SyncPolicy: Sendable {
    /// The consecutive batches that were fast.
    private var fast = 0
    /// The consecutive batches of one record, without another one while they were written.
    private var alone = 0
    /// The moving average of batches, in seconds.
    private var mean = SyncPolicy.slow

    /// The longest duration of a fast sync, in seconds.
    static let slow = 0.002
    /// The longest mean, in seconds, with which many presses at once are written in place.
    static let quick = 0.000_1
    /// The number of consecutive batches after which to write in place.
    static let enough = 32

    /// Whether to write in place.
    var isInPlace: Bool {
        fast >= SyncPolicy.enough && (alone >= SyncPolicy.enough || mean <= SyncPolicy.quick)
    }

    /// A batch was written in this many seconds, on either thread.
    ///
    /// - Parameter isAlone: whether it was a single record, and none arrived while it was written.
    mutating func note(seconds: Double, isAlone: Bool) {
        fast = seconds <= SyncPolicy.slow ? min(fast + 1, SyncPolicy.enough) : 0
        alone = isAlone ? min(alone + 1, SyncPolicy.enough) : 0
        mean += (seconds - mean) / Double(SyncPolicy.enough)
    }
}
