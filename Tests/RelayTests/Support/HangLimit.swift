import Dispatch

/// How long a test waits for what must happen before it calls it a hang.
///
/// No result may depend on the machine's speed: this limit is far above what the slowest one takes,
/// and is reached only by what never comes. What must come earlier is held by virtual clocks.
enum HangLimit {
    static let seconds = 900.0
}

extension DispatchSemaphore {
    /// Waits for a signal that must come.
    ///
    /// - Returns: false on a hang.
    func awaitSignal() -> Bool { wait(timeout: .now() + HangLimit.seconds) == .success }
}
