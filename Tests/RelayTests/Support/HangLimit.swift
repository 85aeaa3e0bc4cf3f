import Foundation
import Testing

/// The time that a test waits for something that must happen before the test calls it a hang.
///
/// No result may depend on the machine's speed: this limit is far above what the slowest one takes,
/// and is reached only if nothing ever happens. Shorter limits are tested with virtual clocks.
enum HangLimit {
    static let seconds = 900.0

    /// Asks again and again until this holds.
    ///
    /// - Returns: false on a hang.
    static func reaches(_ condition: () throws -> Bool) rethrows -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        let never = DispatchSemaphore(value: 0)
        while try !condition() {
            guard ContinuousClock.now < end else { return false }
            // To ask without a pause takes the time that the others need.
            _ = never.wait(timeout: .now() + .milliseconds(2))
        }
        return true
    }

    /// Waits until there is something to read, or the other end is closed.
    ///
    /// - Returns: false on a hang, which is recorded.
    static func canRead(_ descriptor: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var count: Int32
        repeat {
            count = unsafe poll(&question, 1, Int32(seconds * 1_000))
        } while count < 0 && errno == EINTR
        if count <= 0 { Issue.record("nothing came to read in \(seconds) s") }
        return count > 0
    }
}

/// Waits until this holds, asking again and again.
///
/// - Parameter event: what is awaited, as a sentence.
/// - Throws: when it does not come.
func waitUntil(
    _ event: Comment, file: String = #filePath, line: Int = #line,
    _ condition: () throws -> Bool
) throws {
    let holds = try HangLimit.reaches(condition)
    try require(holds, event, file: file, line: line)
}

extension DispatchSemaphore {
    /// Waits for a signal that must come.
    ///
    /// - Returns: false on a hang.
    func awaitSignal() -> Bool { wait(timeout: .now() + HangLimit.seconds) == .success }
}
