import RelayHTTP

/// Reads a fault from the parameters of `POST /control/faults`.
struct FaultReader {
    typealias ControlFault = SimulatedBeeminder.ControlFault

    private let call: SimulatedCall

    init(_ call: SimulatedCall) {
        self.call = call
    }

    func fault() throws(ControlFault) -> SimulatedFault {
        SimulatedFault(
            try mood(), isApplied: call.isOn("applied"),
            delaySeconds: min(max(try number("delay") ?? 0, 0), 3_600),
            method: try method(), route: call.text("route"), goal: call.text("goal"),
            timing: try timing())
    }

    private func mood() throws(ControlFault) -> SimulatedFault.FaultKind {
        switch call.text("mood") {
        case "slow"?: return .slow
        case "status"?:
            let status = call.integer("status") ?? 503
            guard (200...599).contains(status) else { throw fault("status is 200 to 599") }
            return .status(status)
        case "throttled"?: return .throttled(retryAfterSeconds: call.integer("retry_after"))
        case "html"?: return .html
        case "hang_up"?: return .hangUp
        case "cut_short"?: return .cutShort(bytes: max(0, call.integer("bytes") ?? 20))
        case "redirect"?: return .redirect
        case _:
            throw fault(
                "mood is slow, status, throttled, html, hang_up, cut_short or redirect")
        }
    }

    private func timing() throws(ControlFault) -> SimulatedFault.Timing {
        if let number = call.integer("on_call") { return .onCall(number) }
        if let count = call.integer("first_calls") { return .firstCalls(count) }
        if let chance = try number("chance") { return .chance(chance) }
        return .always
    }

    private func method() throws(ControlFault) -> RelayHTTP.Method? {
        guard let token = call.text("method")?.uppercased() else { return nil }
        let methods: [RelayHTTP.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        guard let method = methods.first(where: { $0.token == token }) else {
            throw fault("method is \(methods.map(\.token).joined(separator: ", "))")
        }
        return method
    }

    private func number(_ name: String) throws(ControlFault) -> Double? {
        guard let text = call.text(name) else { return nil }
        guard let value = Double(plain: text) else { throw fault("\(name) is a number") }
        return value
    }

    private func fault(_ message: String) -> ControlFault {
        ControlFault(status: 422, message: message)
    }
}

extension SimulatedFault {
    /// The fault in one line, for the page.
    var summary: String {
        let scope = [method?.token, route, goal].compactMap { $0 }.joined(separator: " ")
        let effect = isApplied ? "applied" : "not applied"
        return "\(mood), \(effect), \(timing), after \(OrderedJSON.shortest(delaySeconds)) s"
            + (scope.isEmpty ? "" : ", only \(scope)") + " (\(calls) calls so far)"
    }
}

extension SimulatedQuirks {
    /// Sets the quirk of that name, which is the property's name.
    mutating func set(
        _ name: String, _ value: OrderedJSON
    ) throws(SimulatedBeeminder.ControlFault) {
        let text = value.parameterText
        let number = text.flatMap(Double.init(plain:))
        let whole = number.flatMap { Int(exactly: $0) }
        let isOn = ["true", "1", "on", "yes"].contains(text ?? "")
        switch name {
        case "graphSeconds": graphSeconds = max(0, number ?? 0)
        case "duplicates": duplicates = try choice(text, name)
        case "batchErrors": batchErrors = try choice(text, name)
        case "batchForgets": batchForgets = whole
        case "longestPage": longestPage = whole
        case "batchStatus": batchStatus = min(max(whole ?? 200, 200), 599)
        case "takesBareArrays": takesBareArrays = isOn
        case "closedGoals": closedGoals = try choice(text, name)
        case "takesPersonalTokenAsBearer": takesPersonalTokenAsBearer = isOn
        case "hasStrangeFields": hasStrangeFields = isOn
        case "canonicalHost": canonicalHost = (text ?? "").isEmpty ? nil : text
        case "callsPerMinute": callsPerMinute = whole
        case "retryAfterSeconds": retryAfterSeconds = whole
        case "datapointsPerDay": datapointsPerDay = whole
        case "authorizesAtOnce": authorizesAtOnce = isOn
        case _: throw .init(status: 422, message: "no quirk '\(name)'")
        }
    }

    private func choice<Choice: RawRepresentable<String>>(
        _ text: String?, _ name: String
    ) throws(SimulatedBeeminder.ControlFault) -> Choice {
        guard let choice = text.flatMap(Choice.init) else {
            throw .init(status: 422, message: "\(name) has no such value")
        }
        return choice
    }

    /// All quirks by name.
    var json: OrderedJSON {
        [
            "graphSeconds": .number(graphSeconds),
            "duplicates": .string(duplicates.rawValue),
            "batchErrors": .string(batchErrors.rawValue),
            "batchStatus": .integer(batchStatus),
            "batchForgets": batchForgets.map(OrderedJSON.integer) ?? .null,
            "longestPage": longestPage.map(OrderedJSON.integer) ?? .null,
            "takesBareArrays": .bool(takesBareArrays),
            "closedGoals": .string(closedGoals.rawValue),
            "takesPersonalTokenAsBearer": .bool(takesPersonalTokenAsBearer),
            "hasStrangeFields": .bool(hasStrangeFields),
            "canonicalHost": .text(canonicalHost),
            "callsPerMinute": callsPerMinute.map(OrderedJSON.integer) ?? .null,
            "retryAfterSeconds": retryAfterSeconds.map(OrderedJSON.integer) ?? .null,
            "datapointsPerDay": datapointsPerDay.map(OrderedJSON.integer) ?? .null,
            "authorizesAtOnce": .bool(authorizesAtOnce),
        ]
    }
}
