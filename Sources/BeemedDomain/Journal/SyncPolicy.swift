/// Decides which thread syncs: the journal's thread, or the caller in place.
///
/// On a fast disk writing in place is cheaper than switching threads, however many devices press:
/// the loop reads all that is ready, writes it with one sync, and answers. On a slow disk the
/// journal's thread waits, and the loop serves other requests. So the thread's batches are measured
/// until enough of them in a row were fast. One slow sync in place ends writing in place: the loop
/// is blocked once only.
struct SyncPolicy: Sendable {
    /// The consecutive batches of the thread that were fast.
    private var proof = 0

    /// The longest duration of a fast sync, in seconds.
    static let slow = 0.002
    /// The number of consecutive fast batches after which to write in place.
    static let enough = 32

    /// Whether to write in place.
    var isInPlace: Bool { proof >= SyncPolicy.enough }

    /// The thread has written a batch in this many seconds.
    mutating func note(seconds: Double) {
        proof = seconds <= SyncPolicy.slow ? min(proof + 1, SyncPolicy.enough) : 0
    }

    /// A batch was written in place in this many seconds.
    mutating func noteInPlace(seconds: Double) {
        if seconds > SyncPolicy.slow { proof = 0 }
    }
}
