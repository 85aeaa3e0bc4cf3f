import Libc

/// Decides which thread syncs: the journal's thread, or the caller in place.
///
/// Writing in place saves two switches of threads, a quarter of the time of a press where presses
/// come one at a time. With several at once the thread is faster, as it syncs some while the loop
/// reads the next ones (`Benchmarks/README.md`), and other requests do not wait for the disk. So
/// batches are measured until enough of them in a row were single presses and fast. A single slow
/// sync in place ends writing in place: the loop is blocked once only. After a long one other syncs
/// must take many times as much time first: a card that is busy with itself now and then would
/// otherwise block the loop each time.
struct SyncPolicy: Sendable {
    /// The consecutive batches that were fast, of one press without any other request, before or
    /// meanwhile.
    private var fast = 0
    /// The batches since the start, or since the last long one.
    private var proven = 0
    /// The time that other batches must have taken before the next one in place, in seconds.
    private var owed = 0.0

    /// The longest duration of a fast sync, in seconds.
    static let slow = 0.002
    /// The number of consecutive batches after which to write in place.
    static let enough = 32
    /// The shortest duration of a long sync, in seconds.
    static let long = 0.01
    /// The number of batches that show that fewer than one in a hundred is long.
    static let proof = 128
    /// How many times as much time other batches must have taken after a long one: then a single
    /// device waits for less than a tenth of the time.
    static let patience = 10.0
    /// The most time that is owed, in seconds.
    static let maxOwed = 60.0

    /// Whether to write in place.
    var isInPlace: Bool {
        fast >= SyncPolicy.enough && proven >= SyncPolicy.proof && owed == 0
    }

    /// A batch was written in this many seconds, on either thread.
    ///
    /// - Parameter isAlone: whether it is a single record, and no other request came since the
    ///   batch before.
    mutating func note(seconds: Double, isAlone: Bool) {
        fast = isAlone && seconds <= SyncPolicy.slow ? min(fast + 1, SyncPolicy.enough) : 0
        let isLong = seconds >= SyncPolicy.long
        proven = isLong ? 0 : min(proven + 1, SyncPolicy.proof)
        owed += isLong ? SyncPolicy.patience * seconds : -seconds
        owed = min(max(0, owed), SyncPolicy.maxOwed)
    }
}

/// How long batches took to write and sync, as a histogram.
package struct SyncTimes: Sendable {
    /// The upper bounds of the buckets, in seconds; longer ones are in none.
    package static let bounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
    ]

    /// Batches in each bucket, without those of smaller ones.
    package private(set) var counts = [UInt64](repeating: 0, count: SyncTimes.bounds.count)
    /// All batches.
    package private(set) var batches: UInt64 = 0
    /// The seconds of all batches together.
    package private(set) var seconds = 0.0

    /// Creates an empty histogram.
    package init() {}

    /// Counts a batch.
    package mutating func note(seconds time: Double) {
        batches += 1
        seconds += time
        if let bucket = SyncTimes.bounds.firstIndex(where: { time <= $0 }) { counts[bucket] += 1 }
    }
}

/// Measures how long something takes. The standard library's durations have 128 bits, and the
/// arithmetic of one took longer than all else that is done for a batch of one press.
enum Stopwatch {
    /// Nanoseconds since an arbitrary moment of this boot, by a clock that cannot be set.
    static var nanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
