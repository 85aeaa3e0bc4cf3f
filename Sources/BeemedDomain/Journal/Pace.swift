/// How quick the disk has proven, and so who waits for it.
///
/// As long as every sync is quick, whoever has records writes them in place: to hand them to
/// another thread and back costs more than the sync. One slow sync and the journal's own thread
/// does the waiting, until the disk has proven quick again: the loop is held up for one sync, and
/// only once in a while.
struct Pace: Sendable {
    private var quickInARow = 0

    /// A sync that takes longer is slow, in seconds.
    static let slow = 0.002
    /// So many quick ones in a row prove a disk quick.
    static let proof = 32

    /// Whether to write in place.
    var isQuick: Bool { quickInARow >= Pace.proof }

    /// A batch was written and synced in so many seconds.
    mutating func note(seconds: Double) {
        quickInARow = seconds <= Pace.slow ? min(quickInARow + 1, Pace.proof) : 0
    }
}
