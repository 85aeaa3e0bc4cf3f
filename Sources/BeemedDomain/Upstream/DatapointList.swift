/// The answer to `GET .../datapoints.json`: what a relay looks at to learn whether something of
/// its own has arrived.
package struct DatapointList: Sendable, Equatable {
    /// One datapoint, as far as it matters.
    package struct Datapoint: Sendable, Equatable {
        /// Beeminder's name for it.
        package var id: String
        package var requestID: String?
        package var value: Double?
        /// When Beeminder made it, in Unix seconds; nil when its id does not say.
        package var madeAt: Int64?
    }

    package var datapoints: [Datapoint]

    /// Reads the answer's body; nil when it is no list. What is no datapoint in it is left out.
    package init?(_ body: [UInt8]) {
        guard let elements = JSONTree(body)?.elements else { return nil }
        datapoints = elements.compactMap { element in
            guard let id = element["id"]?.text else { return nil }
            return Datapoint(
                id: id, requestID: element["requestid"]?.text, value: element["value"]?.number,
                madeAt: DatapointList.birth(of: id))
        }
    }

    /// Ids are MongoDB's: 24 hex digits, the first eight of them the time at which it was made.
    /// That holds for every recorded one.
    private static func birth(of id: String) -> Int64? {
        guard id.utf8.count == 24, id.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return UInt32(id.prefix(8), radix: 16).map(Int64.init)
    }
}

/// A search for datapoints by their request ids, page by page, the newest first. Beeminder has no
/// filter for that (API reference, "Get all the datapoints").
package struct DatapointSearch: Sendable, Equatable {
    /// What one is told after a page.
    package enum Step: Sendable, Equatable {
        /// Look at this page too, counted from 1.
        case page(Int)
        /// All are found, or there is nothing more to look at.
        case done
        /// There is more than one looks at: what was not found may be there all the same.
        case givenUp
    }

    /// Datapoints on a page.
    package let pageSize: Int
    /// Beeminder's names of what was found, by request id.
    package private(set) var found: [String: String] = [:]
    /// The values of what was found, by request id.
    package private(set) var values: [String: Double] = [:]
    private var missing: Set<String>
    private let notBefore: Int64
    private var seen: Set<String> = []
    private var page = 1

    /// Pages looked at, at most.
    static let mostPages = 40
    /// How much Beeminder's clock and a device's may differ, in seconds.
    private static let slack: Int64 = 86_400

    /// - Parameter since: the earliest time of what is looked for: nothing of it was made at
    ///   Beeminder before.
    package init(for requestIDs: some Sequence<String>, since: UnixTime) {
        missing = Set(requestIDs)
        // Twice what is looked for, as others may press at the same time; never less than 50.
        pageSize = max(50, min(2 * missing.count, 200))
        notBefore = since.seconds.subtractingReportingOverflow(DatapointSearch.slack).partialValue
    }

    /// Takes a page and says how to go on.
    package mutating func take(_ list: DatapointList) -> Step {
        var isNew = false
        for datapoint in list.datapoints {
            if seen.insert(datapoint.id).inserted { isNew = true }
            guard let requestID = datapoint.requestID, missing.remove(requestID) != nil else {
                continue
            }
            found[requestID] = datapoint.id
            values[requestID] = datapoint.value
        }
        // A page that brings nothing new is past the end, or from a server that knows no pages.
        guard !missing.isEmpty, isNew else { return .done }
        let oldest = list.datapoints.compactMap(\.madeAt).min()
        if let oldest, oldest < notBefore { return .done }
        guard page < DatapointSearch.mostPages else { return .givenUp }
        page += 1
        return .page(page)
    }
}
