#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `beemed-relay events retry --refused`: sends every refused press again, one by one. What is sent
/// twice is sent once, so that the command can be repeated at any time.
struct RetryCommand {
    private struct Page: Decodable {
        struct Event: Decodable {
            var requestid: String
        }

        var events: [Event]
        var next: UInt64?
    }

    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    func run() throws(Failure) -> ExitCode {
        let relay = try invocation.relay()
        let ids = try refused(relay)
        let body = invocation.arguments["goal"].map { ["goal": $0] }
        var (sent, faults) = (0, [Failure]())
        // The oldest first, as they were made.
        for id in ids.reversed() {
            do throws(Failure) {
                _ = try relay.call("POST", "/events/\(id.asPathSegment)/retry", body)
                sent += 1
            } catch { faults.append(error) }
        }
        // A press that was merged is sent with another one.
        let left = faults.isEmpty ? 0 : Set(try refused(relay)).intersection(ids).count
        if invocation.wantsJSON {
            invocation.printJSON(["sent": sent, "left": left])
        } else {
            Console.output(
                ids.isEmpty
                    ? "no press is refused"
                    : "sent again: \(sent); 'events list' says what becomes of them")
        }
        guard left > 0, let fault = faults.first else { return .ok }
        throw Failure(fault.code, "\(left) are still refused: \(fault.message)")
    }

    /// The request ids of all refused presses that are meant, the newest first.
    private func refused(_ relay: RunningRelay) throws(Failure) -> [String] {
        var ids: [String] = []
        var next: UInt64?
        repeat {
            var query = "/events?state=refused&limit=500"
            if let goal = invocation.arguments["of"] { query += "&goal=\(goal.asQueryValue)" }
            if let next { query += "&before=\(next)" }
            let page = try relay.call("GET", query).decoded(Page.self)
            ids += page.events.map(\.requestid)
            next = page.next
        } while next != nil
        return ids
    }
}
