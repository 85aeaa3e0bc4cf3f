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

/// Searches for a datapoint by its request id, page by page, the newest first. Beeminder has no filter
/// for that (API reference, "Get all the datapoints").
package struct DatapointSearch: Sendable, Equatable {
    /// The next step after a page.
    package enum Step: Sendable, Equatable {
        /// Request this page too, counted from 1.
        case page(Int)
        /// It was found, or there are no more pages to search.
        case done
        /// The page limit was reached: it may exist all the same.
        case givenUp
    }

    /// The number of datapoints per page.
    package static let pageSize = 50
    /// The datapoint; nil while it is not found.
    package private(set) var match: DatapointList.Datapoint?
    private let requestID: String
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

    /// - Parameter since: the time of the event: Beeminder did not create its datapoint before.
    package init(for requestID: String, since: UnixTime) {
        self.requestID = requestID
        notBefore = since.seconds.subtractingReportingOverflow(DatapointSearch.slack).partialValue
    }

    /// Applies a page and returns the next step.
    package mutating func apply(_ list: DatapointList) -> Step {
        var isNew = false
        for datapoint in list.datapoints {
            if seen.insert(datapoint.id).inserted { isNew = true }
            if match == nil, datapoint.requestID == requestID { match = datapoint }
        }
        // A page without new datapoints is past the end, or the server ignores the page number.
        guard match == nil, isNew else { return .done }
        if list.count < DatapointSearch.shortestPage { return .done }
        let oldest = list.datapoints.compactMap(\.madeAt).min()
        if let oldest, oldest < notBefore { return .done }
        guard page < DatapointSearch.maxPages else { return .givenUp }
        page += 1
        return .page(page)
    }
}
