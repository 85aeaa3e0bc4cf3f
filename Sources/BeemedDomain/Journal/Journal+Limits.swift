extension Journal {
    /// Limits of a journal.
    package struct Limits: Sendable {
        /// The growth in bytes since its snapshot after which a segment is followed by a new one.
        var segmentBytes = 4 << 20
        /// The bytes that stay free for the rest of the system; below that no press is accepted.
        package var freeBytes = 16 << 20
        /// A reserve that is removed when there is no free space for a rewrite, in bytes; 0 for
        /// none.
        var reserveBytes = 1 << 20
        /// The maximum number of bytes of lines written at once, except for a longer record. With
        /// the preallocated space not above `Recovery.tornBytes`, which distinguishes a torn tail
        /// from damage.
        var batchBytes = 1 << 20
        /// The space that is preallocated behind a segment's lines, in bytes; 0 for none. It
        /// doubles what a busy relay writes into its files. With a quarter of it syncs take a
        /// quarter longer on average, since that of new preallocated space takes as long as five.
        var preallocatedBytes = 1 << 19
        /// The records after which space is preallocated, from the start of a process, and from
        /// each second without a batch while there was preallocated space: a relay that has few
        /// presses need not, and its files hold nothing but lines.
        var recordsBeforePreallocation = 2_000
        /// The number of bytes read at once.
        var windowBytes = 1 << 18
        /// The number of bytes that a compaction writes between two batches, and syncs: so long a
        /// press may have to wait for it.
        var sliceBytes = 1 << 17
        /// How many settled events stay known.
        var rememberedEvents = Recovered.rememberedEvents
        /// The maximum bytes of their lines.
        var rememberedBytes = Recovered.rememberedBytes
        /// How many of them stay known without space for more: devices repeat their newest presses.
        var leastRemembered = 1_000
        /// How many of them stay known without space even for those: with long comments they take
        /// megabytes, and accepting a press is worth more than knowing old ones.
        var fewestRemembered = 100
        /// How long the history keeps events, in seconds.
        var historySeconds: Int64 = 400 * 86_400

        /// Creates the default limits.
        package init() {}

        var remembered: Retention.Limits {
            Retention.Limits(events: rememberedEvents, bytes: rememberedBytes)
        }
    }
}
