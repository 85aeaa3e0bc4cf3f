/// The `errors` in the answer to `create_all`, in the shape that the quirks select: the live
/// service's shape is not documented.
struct BatchErrorList: Sendable {
    private let shape: SimulatedQuirks.BatchErrors
    private var list: [OrderedJSON] = []
    private var keyed = JSONObject()
    /// Whether any element was refused, listed or not.
    private(set) var hasAny = false

    init(_ shape: SimulatedQuirks.BatchErrors) {
        self.shape = shape
    }

    /// The list, or the object that replaces it.
    var json: OrderedJSON { shape == .keyed ? .object(keyed) : .array(list) }

    /// Adds a refused element and the reason.
    mutating func add(_ refusal: Refusal, _ element: OrderedJSON, at index: Int) {
        hasAny = true
        let words = OrderedJSON.string(refusal.message)
        var sent = JSONObject()
        if case .object(let object) = element { sent = object }
        switch shape {
        case .echoed:
            guard case .object(let body) = refusal.body, !sent.members.isEmpty else {
                return list.append(words)
            }
            sent["errors"] = body["errors"]
            list.append(.object(sent))
        case .worded: list.append(words)
        case .named: list.append(["requestid": sent["requestid"] ?? .null, "error": words])
        case .indexed: list.append(["index": .integer(index), "error": words])
        case .keyed: keyed[sent["requestid"]?.parameterText ?? "\(index)"] = words
        case .silent: break
        }
    }
}
