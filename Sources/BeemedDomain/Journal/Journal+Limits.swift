extension Journal {
    /// Bounds of a journal.
    package struct Limits: Sendable {
        /// A segment that has grown by so many bytes since its snapshot is followed by a new one.
        package var segmentBytes = 4 << 20
        /// So many bytes stay free for the rest of the system; below that nothing is accepted.
        package var freeBytes = 16 << 20
        /// What is kept to be given up when there is no room to rewrite the journal; 0 for none.
        package var reserveBytes = 1 << 20
        /// So many bytes are written at once at most, a longer record apart. Not above
        /// `Recovery.batchBytes`, by which a torn tail is told from damage.
        package var batchBytes = 1 << 20
        /// So many bytes are read at once.
        package var windowBytes = 1 << 18
        /// How many settled events stay known.
        package var rememberedEvents = Recovered.rememberedEvents
        /// How many bytes their lines may take.
        package var rememberedBytes = Recovered.rememberedBytes
        /// How many of them stay known where there is no room: devices repeat their newest presses.
        package var leastRemembered = 1_000
        /// How many of them stay known where not even those have room: with long comments they take
        /// megabytes, and to take a press is worth more than to know old ones.
        package var fewestRemembered = 100
        /// How long the history keeps the others, in seconds.
        package var historySeconds: Int64 = 400 * 86_400

        /// The defaults.
        package init() {}

        var remembered: Retention.Limits {
            Retention.Limits(events: rememberedEvents, bytes: rememberedBytes)
        }
    }
}
