/// Decides which thread syncs: the journal's thread, or the caller in place.
///
/// Writing in place saves two switches of threads for each batch. It pays when presses come one at
/// a time, and with many of them when a sync is quicker than what else there is to do meanwhile:
/// the loop reads all that is ready, writes it with one sync, and answers. On other disks the
/// journal's thread waits and the loop goes on. So batches are measured until enough of them in a
/// row were fast. One slow sync in place ends writing in place: the loop is blocked once only.
/// After a long one others must take many times as much time first: a card that is busy with
/// itself now and then would otherwise block the loop each time. Where one client sends all
/// requests that is less: nobody else waits for the loop.
struct SyncPolicy: Sendable {
    /// The consecutive batches that were fast.
    private var fast = 0
    /// The consecutive batches of one record without any other request, before or meanwhile.
    private var alone = 0
    /// The moving average of batches, in seconds.
    private var mean = SyncPolicy.slow
    /// The batches since the start, or since the last long one.
    private var proven = 0
    /// The time that other batches must have taken before the next one in place, in seconds: with
    /// other requests, and without.
    private var (owed, owedAlone) = (0.0, 0.0)

    /// The longest duration of a fast sync, in seconds.
    static let slow = 0.002
    /// The longest mean, in seconds, with which many presses at once are written in place.
    static let quick = 0.000_1
    /// The number of consecutive batches after which to write in place.
    static let enough = 32
    /// The shortest duration of a long sync, in seconds.
    static let long = 0.01
    /// The number of batches that show that fewer than one in a hundred is long.
    static let proof = 128
    /// How many times as much time other batches must have taken after a long one: with other
    /// requests, which wait for less than a hundredth of the time then, and without.
    static let (patience, patienceAlone) = (100.0, 10.0)
    /// The most time that is owed, in seconds.
    static let mostOwed = 60.0

    /// Whether to write in place.
    var isInPlace: Bool {
        guard fast >= SyncPolicy.enough, proven >= SyncPolicy.proof else { return false }
        if alone >= SyncPolicy.enough { return owedAlone == 0 }
        return owed == 0 && mean <= SyncPolicy.quick
    }

    /// A batch was written in this many seconds, on either thread.
    ///
    /// - Parameter isAlone: whether it was a single record, and no other request came since the
    ///   batch before.
    mutating func note(seconds: Double, isAlone: Bool) {
        fast = seconds <= SyncPolicy.slow ? min(fast + 1, SyncPolicy.enough) : 0
        alone = isAlone ? min(alone + 1, SyncPolicy.enough) : 0
        mean += (seconds - mean) / Double(SyncPolicy.enough)
        proven = seconds < SyncPolicy.long ? min(proven + 1, SyncPolicy.proof) : 0
        owed = SyncPolicy.owed(owed, after: seconds, patience: SyncPolicy.patience)
        owedAlone = SyncPolicy.owed(owedAlone, after: seconds, patience: SyncPolicy.patienceAlone)
    }

    private static func owed(_ owed: Double, after seconds: Double, patience: Double) -> Double {
        let change = seconds < SyncPolicy.long ? -seconds : patience * seconds
        return min(max(0, owed + change), SyncPolicy.mostOwed)
    }
}
