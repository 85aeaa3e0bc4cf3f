/// Decides how long a wait looks for events before the thread sleeps.
///
/// To put a thread to sleep and to wake it takes longer than a quick client needs for its next
/// request, and on a virtual machine what follows is slower, too, the sync included: 50 us of the
/// 250 of a press. So while one client sends one request after the other, and soon, each wait
/// looks first. Waits in which it looks in vain end that, two in succession or one in eight: a
/// button that is pressed now and then, and an idle relay, do not look in vain. With several
/// clients or threads at work the processor has better things to do.
struct BusyPolling: Sendable {
    /// Increases with each short wait, and decreases with each other one.
    private var credit = 0
    /// The token of the descriptor that has ended the last wait alone; nil if there was none.
    private var last: UInt64?

    /// The longest short wait of a thread that looks, and the longest time to look, in
    /// nanoseconds.
    static let longest: Int64 = 100_000
    /// The longest short wait of a thread that sleeps, in nanoseconds: to sleep and to wake takes
    /// up to 100 us of it on a virtual machine, and would make each wait seem too long to look.
    static let longestAsleep: Int64 = 200_000
    /// The credit from which on a wait looks first, and the most there is.
    static let (enough, most) = (24, 32)
    /// The credit that a wait costs that was not short.
    static let price = 8

    /// How long the next wait looks for events before it sleeps, in nanoseconds.
    var nanoseconds: Int64 { credit >= BusyPolling.enough ? BusyPolling.longest : 0 }

    /// A wait has ended.
    ///
    /// - Parameters:
    ///   - nanoseconds: its duration.
    ///   - ready: the descriptors that are ready.
    ///   - wasWoken: whether another thread has ended it.
    mutating func record(nanoseconds: Int64, _ ready: [Ready], wasWoken: Bool) {
        let token = ready.count == 1 ? ready[0].token : nil
        defer { last = token }
        let limit = self.nanoseconds > 0 ? BusyPolling.longest : BusyPolling.longestAsleep
        let isShort = nanoseconds <= limit && token != nil && token == last && !wasWoken
        credit =
            isShort ? min(credit + 1, BusyPolling.most) : max(0, credit - BusyPolling.price)
    }
}
