extension Recovery {
    /// Reads one file of the history, which has the format of a closed segment with only a
    /// snapshot.
    static func read(
        _ disk: any Disk, _ file: StoredFile, segment: Int, window: Int
    ) throws(DiskError) -> Recovered {
        let all = Retention.Limits(events: .max, bytes: .max)
        var recovery = Recovery(disk: disk, window: window, remembered: all)
        try recovery.read(
            SegmentReader(disk, file, window: window), Reading(segment: segment, isLast: true))
        recovery.classifyOpenTail(isTorn: false, atMost: 0)
        return recovery.finish()
    }
}
