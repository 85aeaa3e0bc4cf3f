import BeemedDomain
import Dispatch
import RelayTrunk

/// A line on the terminal that shows how far an import is.
enum ImportProgress {
    /// Seconds between two lines.
    private static let interval = 0.2

    /// Sends an import, and rewrites the line until the end. Later output stands below the line.
    static func show<Answer>(
        of relay: RunningRelay, _ bytes: Int, _ send: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        guard Console.errorIsTerminal else { return try send() }
        Console.prompt("\(bytes) bytes are sent")
        let (isOver, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        SystemThread.start("progress") {
            while isOver.wait(timeout: .now() + interval) == .timedOut {
                if let line = (try? relay.call("GET", "/import")).flatMap(line) { write(line) }
            }
            hasEnded.signal()
        }
        defer { Console.prompt("\n") }
        let answer = Result { () throws(Failure) in try send() }
        isOver.signal()
        hasEnded.wait()
        if case .success = answer { write("the import is over") }
        return try answer.get()
    }

    /// Erases the rest of the former line, too (ECMA-48 section 8.3.41).
    private static func write(_ line: String) { Console.prompt("\r\(line)\u{1B}[K") }

    /// The relay's answer in words; nil when no import is in progress.
    static func line(_ now: RelayAnswer) -> String? {
        let (events, done) = (now["events"].words ?? "0", now["done"].words ?? "0")
        return switch now["state"].text {
        case "reading": "the file is read"
        case "checking": "\(done) of \(events) datapoints are checked"
        case "comparing": "\(events) datapoints are compared with those that are known"
        case "taking": "\(done) of \(events) datapoints are taken"
        default: nil
        }
    }
}
