import Libc

/// Decides which thread syncs: the journal's thread, or the caller in place.
///
/// Writing in place saves two switches of threads for each batch. That pays when presses come one
/// at a time, and with many presses when a sync is quicker than the other work for them: the loop
/// reads all that is ready, writes it with one sync, and answers. A thread would sync the first
/// presses, and the clients would take turns in two groups, each with a sync of its own. On other
/// disks, and while other requests come, which would wait too, the journal's thread waits and the
/// loop goes on. So batches are measured until enough of them in a row were fast. A single slow
/// sync in place ends writing in place: the loop is blocked once only. After a long one other syncs
/// must take many times as much time first: a card that is busy with itself now and then would
/// otherwise block the loop each time. Where only presses come that is less: everybody who waits
/// for the loop also waits for the disk.
struct SyncPolicy: Sendable {
    /// The consecutive batches that were fast.
    private var fast = 0
    /// The consecutive batches of one record without any other request, before or meanwhile.
    private var alone = 0
    /// The consecutive batches without any request but presses, before or meanwhile.
    private var pressesOnly = 0
    /// The moving average of the records of a batch.
    private var meanRecords = 0.0
    /// The moving average of batches, in seconds.
    private var mean = SyncPolicy.slow
    /// The batches since the start, or since the last long one.
    private var proven = 0
    /// The time that other batches must have taken before the next one in place, in seconds: with
    /// other requests, and with presses only.
    private var (owed, owedPresses) = (0.0, 0.0)

    /// The longest duration of a fast sync, in seconds.
    static let slow = 0.002
    /// The longest mean, in seconds, with which presses are written in place beside other requests.
    static let quick = 0.000_1
    /// The work for one press, in seconds: while only presses come, they are written in place if
    /// the mean is below that of a batch. With a sync of 0.25 ms that paid from 32 clients on, and
    /// did not with 16.
    static let pressWork = 0.000_01
    /// The number of consecutive batches after which to write in place.
    static let enough = 32
    /// The shortest duration of a long sync, in seconds.
    static let long = 0.01
    /// The number of batches that show that fewer than one in a hundred is long.
    static let proof = 128
    /// How many times as much time other batches must have taken after a long one: with other
    /// requests, which wait for less than a hundredth of the time then, and with presses only.
    static let (patience, pressOnlyFactor) = (100.0, 10.0)
    /// The most time that is owed, in seconds.
    static let maxOwed = 60.0

    /// Whether to write in place.
    var isInPlace: Bool {
        guard fast >= SyncPolicy.enough, proven >= SyncPolicy.proof else { return false }
        if isForPressesOnly { return owedPresses == 0 }
        return owed == 0 && mean <= SyncPolicy.quick
    }

    /// Whether nobody waits for the loop but for a press, and it is no detour for those.
    private var isForPressesOnly: Bool {
        if alone >= SyncPolicy.enough { return true }
        return pressesOnly >= SyncPolicy.enough && mean <= SyncPolicy.pressWork * meanRecords
    }

    /// A batch that was written.
    struct Batch: Sendable {
        var records = 1
        /// Whether it is a single record, and no other request came since the batch before.
        var isAlone = false
        /// Whether requests came beside it that are no presses.
        var isMixed = false
    }

    /// A batch was written in this many seconds, on either thread.
    mutating func note(seconds: Double, _ batch: Batch) {
        fast = seconds <= SyncPolicy.slow ? min(fast + 1, SyncPolicy.enough) : 0
        alone = batch.isAlone ? min(alone + 1, SyncPolicy.enough) : 0
        pressesOnly = batch.isMixed ? 0 : min(pressesOnly + 1, SyncPolicy.enough)
        mean += (seconds - mean) / Double(SyncPolicy.enough)
        meanRecords += (Double(batch.records) - meanRecords) / Double(SyncPolicy.enough)
        proven = seconds < SyncPolicy.long ? min(proven + 1, SyncPolicy.proof) : 0
        owed = SyncPolicy.owed(owed, after: seconds, patience: SyncPolicy.patience)
        owedPresses = SyncPolicy.owed(
            owedPresses, after: seconds, patience: SyncPolicy.pressOnlyFactor)
    }

    private static func owed(_ owed: Double, after seconds: Double, patience: Double) -> Double {
        let change = seconds < SyncPolicy.long ? -seconds : patience * seconds
        return min(max(0, owed + change), SyncPolicy.maxOwed)
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
struct Stopwatch {
    private let start = Stopwatch.nanoseconds

    /// The seconds since it was created.
    var seconds: Double { Double(Stopwatch.nanoseconds - start) * 1e-9 }

    /// Nanoseconds since an arbitrary moment of this boot, by a clock that cannot be set.
    static var nanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
