/// The answer to `GET .../datapoints.json`, which shows whether a datapoint of the relay has
/// arrived.
package struct DatapointList: Sendable, Equatable {
    /// The relevant fields of a datapoint.
    package struct Datapoint: Sendable, Equatable {
        /// Beeminder's id.
        package var id: String
        package var requestID: String?
        package var value: Double?
        /// When Beeminder created it, in Unix seconds; nil when its id does not tell.
        package var madeAt: Int64?
    }

    package var datapoints: [Datapoint]
    /// The number of all elements.
    let count: Int

    /// Parses the body; nil when not a list. Elements that are not datapoints are omitted.
    package init?(_ body: [UInt8]) {
        guard let elements = JSONTree(body)?.elements else { return nil }
        count = elements.count
        datapoints = elements.compactMap { element in
            guard let id = element["id"]?.text else { return nil }
            return Datapoint(
                id: id, requestID: element["requestid"]?.text, value: element["value"]?.number,
                madeAt: DatapointList.creationTime(of: id))
        }
    }

    /// Ids are MongoDB's: 24 hex digits, the first eight of them the time of creation. All recorded
    /// ids are like that.
    private static func creationTime(of id: String) -> Int64? {
        guard id.utf8.count == 24, id.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return UInt32(id.prefix(8), radix: 16).map(Int64.init)
    }
}

extension OutgoingDatapoint {
    /// Whether a datapoint found under the request id has all that this one says. A datapoint whose
    /// value may change can have an earlier value there; a press keeps the user's edits.
    package func isShown(by found: DatapointList.Datapoint) -> Bool {
        through == nil || found.value == value
    }

    /// The outcome when Beeminder has refused this one, and has a datapoint with its request id. If
    /// that is an earlier value, only the change is refused. Where nobody knew that any value had
    /// arrived, nothing is refused, as nobody knows which presses it includes.
    package func outcome(
        of refusal: Outcome, given found: DatapointList.Datapoint
    ) -> Outcome {
        guard isShown(by: found) else {
            if self.refusal != nil { return .outdated(datapoint: found.id) }
            if hasArrived { return refusal }
            return .unchangeable("Beeminder has an earlier value; the new one is \(refusal.words)")
        }
        return .delivered(.duplicate, datapoint: found.id)
    }
}

/// Searches for datapoints by request id, page by page, the newest first. Beeminder has no filter
/// for that (API reference, "Get all the datapoints").
package struct DatapointSearch: Sendable, Equatable {
    /// The next step after a page.
    package enum Step: Sendable, Equatable {
        /// Request this page too, counted from 1.
        case page(Int)
        /// All were found, or there are no more pages to search.
        case done
        /// The page limit was reached: datapoints that were not found may exist.
        case givenUp
    }

    /// The number of datapoints per page.
    package let pageSize: Int
    /// The datapoints found, by request id.
    package private(set) var matches: [String: DatapointList.Datapoint] = [:]
    private var missing: Set<String>
    private let notBefore: Int64
    private var seen: Set<String> = []
    private var page = 1

    /// The maximum number of pages.
    static let maxPages = 40
    /// A page with fewer elements is the last. Beeminder names no greatest page size; its usual one
    /// is 25 (API reference, "Get all the datapoints", `per`), so a longer page may have been cut.
    private static let shortestPage = 25
    /// The maximum difference between Beeminder's clock and a device's, in seconds.
    private static let slack: Int64 = 86_400

    /// - Parameter since: the earliest time of the events: Beeminder created none of their
    ///   datapoints before.
    package init(for requestIDs: some Sequence<String>, since: UnixTime) {
        missing = Set(requestIDs)
        // Twice the number searched for, as others may press at the same time; at least 50.
        pageSize = max(50, min(2 * missing.count, 200))
        notBefore = since.seconds.subtractingReportingOverflow(DatapointSearch.slack).partialValue
    }

    /// Applies a page and returns the next step.
    package mutating func apply(_ list: DatapointList) -> Step {
        var isNew = false
        for datapoint in list.datapoints {
            if seen.insert(datapoint.id).inserted { isNew = true }
            guard let requestID = datapoint.requestID, missing.remove(requestID) != nil else {
                continue
            }
            matches[requestID] = datapoint
        }
        // A page without new datapoints is past the end, or the server ignores the page number.
        guard !missing.isEmpty, isNew else { return .done }
        if list.count < DatapointSearch.shortestPage { return .done }
        let oldest = list.datapoints.compactMap(\.madeAt).min()
        if let oldest, oldest < notBefore { return .done }
        guard page < DatapointSearch.maxPages else { return .givenUp }
        page += 1
        return .page(page)
    }
}
