extension Journal {
    /// Limits of a journal.
    package struct Limits: Sendable {
        /// The size in bytes at which a segment is followed by a new one.
        var segmentBytes = 4 << 20
        /// The oldest segment is retired when the segments hold more than twice what is known, and
        /// this many bytes.
        var ringBytes = 16 << 20
        /// The bytes that stay free for the rest of the system; below that no press is accepted.
        package var freeBytes = 16 << 20
        /// A reserve that is removed when a start has no free space to copy the last segment, in
        /// bytes; 0 for none. A segment may be longer than `segmentBytes` by a batch.
        var reserveBytes = 5 << 20
        /// The maximum number of bytes of lines written at once, except for a longer record. With
        /// the preallocated space not above `Recovery.tornBytes`, which distinguishes a torn tail
        /// from damage.
        var batchBytes = 1 << 20
        /// The space that is preallocated behind a segment's lines, in bytes; 0 for none. It
        /// doubles what a busy relay writes into its files. With a quarter of it syncs take a
        /// quarter longer on average, since that of new preallocated space takes as long as five.
        var preallocatedBytes = 1 << 19
        /// The number of bytes read at once.
        var windowBytes = 1 << 18
        /// How many settled events stay known.
        var rememberedEvents = Recovered.rememberedEvents
        /// The maximum bytes of their lines.
        var rememberedBytes = Recovered.rememberedBytes
        /// How long the history keeps events, in seconds.
        var historySeconds: Int64 = 400 * 86_400

        /// Creates the default limits.
        package init() {}

        /// The size in bytes at which a segment is followed by a new one where space is short: then
        /// a disk that has room for one segment only has something to retire.
        var shortSegmentBytes: Int { segmentBytes / 16 }

        /// Below this free space, in bytes, the oldest of what is past makes room.
        var scarceBytes: Int { freeBytes + 2 * segmentBytes }

        var remembered: Retention.Limits {
            Retention.Limits(events: rememberedEvents, bytes: rememberedBytes)
        }
    }
}
