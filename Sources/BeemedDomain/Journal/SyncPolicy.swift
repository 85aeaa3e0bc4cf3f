/// Who waits for the disk: the journal's thread, or whoever has brought the records.
///
/// While the thread waits for one batch, the loop reads the next: as soon as two devices press at
/// once that is quicker for both. Only when one press comes after the other, and the disk is
/// quick, is it cheaper to write in place than to hand over and back. So the thread's batches are
/// watched, and once in a while it gets some to see whether that still holds. One slow sync in
/// place is the last one for a while: the loop is held up once.
struct SyncPolicy: Sendable {
    /// Batches in a row that were quick and alone.
    private var proof = 0
    /// Batches in place since that was proven.
    private var inPlace = 0

    /// A sync that takes longer is slow, in seconds.
    static let slow = 0.002
    /// So many quick and lonely batches in a row are proof enough.
    static let enough = 32
    /// For so many batches in place the proof is good.
    static let term = 512

    /// Whether to write in place.
    var isInPlace: Bool { proof >= SyncPolicy.enough }

    /// The thread has written a batch in so many seconds.
    ///
    /// - Parameter isAlone: it was a single record, and none came while it was written.
    mutating func note(seconds: Double, isAlone: Bool) {
        proof = isAlone && seconds <= SyncPolicy.slow ? min(proof + 1, SyncPolicy.enough) : 0
        inPlace = 0
    }

    /// A batch was written in place in so many seconds.
    mutating func noteInPlace(seconds: Double) {
        inPlace += 1
        if seconds > SyncPolicy.slow || inPlace >= SyncPolicy.term { proof = 0 }
    }
}
