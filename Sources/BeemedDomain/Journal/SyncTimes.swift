#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

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
