#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

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
