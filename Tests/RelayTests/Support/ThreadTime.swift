import Foundation

/// How much processor time something takes, for comparisons of two ways: other processes that run
/// meanwhile do not count.
enum ThreadTime {
    /// Runs this on the calling thread.
    ///
    /// - Returns: nanoseconds of processor time.
    static func nanoseconds(_ work: () throws -> Void) rethrows -> Int64 {
        let start = now
        try work()
        return now - start
    }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
