/// The `errors` of an answer to `create_all`, in the shape that the quirks ask for: which one the
/// live service has is written nowhere.
struct BatchErrorList: Sendable {
    private let shape: SimulatedQuirks.BatchErrors
    private var list: [OrderedJSON] = []
    private var keyed = JSONObject()
    /// Whether anything was not taken, told of or not.
    private(set) var hasAny = false

    /// An empty list of that shape.
    init(_ shape: SimulatedQuirks.BatchErrors) {
        self.shape = shape
    }

    /// The list, or what stands in its place.
    var json: OrderedJSON { shape == .keyed ? .object(keyed) : .array(list) }

    /// Adds what was not taken, and why.
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
