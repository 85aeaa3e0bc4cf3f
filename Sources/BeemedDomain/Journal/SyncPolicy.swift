/// Decides which thread syncs: the journal's thread, or the caller in place.
///
/// While the journal's thread syncs one batch, the loop reads the next: that is faster as soon as
/// two devices press at once. Only if presses come one at a time and the disk is fast, writing in
/// place is cheaper than switching threads. So the thread's batches are measured, and from time to
/// time it gets some again to repeat the measurement. One slow sync in place ends writing in place
/// for a while: the loop is blocked once only.
struct SyncPolicy: Sendable {
    /// Consecutive batches that were fast and alone.
    private var proof = 0
    /// Batches written in place since then.
    private var inPlace = 0

    /// The longest duration of a fast sync, in seconds.
    static let slow = 0.002
    /// The number of consecutive fast and single batches after which to write in place.
    static let enough = 32
    /// The number of batches in place after which to measure again.
    static let term = 512

    /// Whether to write in place.
    var isInPlace: Bool { proof >= SyncPolicy.enough }

    /// The thread has written a batch in this many seconds.
    ///
    /// - Parameter isAlone: whether it was a single record, and none arrived while it was written.
    mutating func note(seconds: Double, isAlone: Bool) {
        proof = isAlone && seconds <= SyncPolicy.slow ? min(proof + 1, SyncPolicy.enough) : 0
        inPlace = 0
    }

    /// A batch was written in place in this many seconds.
    mutating func noteInPlace(seconds: Double) {
        inPlace += 1
        if seconds > SyncPolicy.slow || inPlace >= SyncPolicy.term { proof = 0 }
    }
}
