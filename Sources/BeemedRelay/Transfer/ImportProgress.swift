import BeemedDomain
import Dispatch
import RelayTrunk

/// A line on the terminal that shows how far an import is, written anew until the import is over.
final class ImportProgress: Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Seconds between two lines.
    private static let interval = 0.2

    /// Begins to show the import that this command sends next.
    ///
    /// - Parameters:
    ///   - relay: where it is sent.
    ///   - bytes: its size.
    init(of relay: RunningRelay, _ bytes: Int) {
        Console.prompt("\(bytes) bytes are sent")
        SystemThread.start("progress") { [isOver, hasEnded] in
            while isOver.wait(timeout: .now() + ImportProgress.interval) == .timedOut {
                let answer = try? relay.call("GET", "/import")
                if let line = answer.flatMap(ImportProgress.line) { ImportProgress.show(line) }
            }
            hasEnded.signal()
        }
    }

    /// Ends the line. What is written next stands below it.
    ///
    /// - Parameter line: what it says in the end; nil leaves what it says.
    func end(_ line: String? = nil) {
        isOver.signal()
        hasEnded.wait()
        if let line { ImportProgress.show(line) }
        Console.prompt("\n")
    }

    /// Writes the line anew, and erases the rest of the former one (ECMA-48 section 8.3.41).
    private static func show(_ line: String) { Console.prompt("\r\(line)\u{1B}[K") }

    /// The relay's answer in words; nil when no import is in progress.
    static func line(_ now: RelayAnswer) -> String? {
        let (events, done) = (now["events"].words ?? "0", now["done"].words ?? "0")
        switch now["state"].text {
        case "reading": return "the file is read: \(events) datapoints"
        case "checking": return "\(events) datapoints are checked"
        case "comparing": return "\(events) datapoints are compared with those that are known"
        case "taking": return "\(done) of \(events) datapoints are taken"
        case "waiting": return "\(events) datapoints are compared with the history"
        default: return nil
        }
    }
}
