import Foundation
import RelayHTTP

@testable import BeeminderSimulator

/// A small world and the shortest way to call it.
struct SimulatedWorld {
    /// 2026-01-25 17:38:43 in New York, when the answers that the tests hold to were recorded.
    static let recordedAt = 1_769_380_723.0

    var beeminder: SimulatedBeeminder
    var now: Double

    /// felixm in New York with one goal, `test`: one a day, since ten days ago.
    init(
        zone: String = "America/New_York", deadline: Int = 0, now: Double = recordedAt,
        history: [Double] = [], rate: Double = 1
    ) {
        self.now = now
        beeminder = SimulatedBeeminder(seed: 7)
        let zone = TimeZone(identifier: zone) ?? .gmt
        let user = beeminder.addUser("felixm", authToken: "secret", zone: zone, at: now - 1e6)
        beeminder.users[user].accessTokens["oauth"] = "someapp"
        var plan = GoalPlan(slug: "test", units: "units", rate: rate)
        plan.ageDays = history.count
        plan.deadline = deadline
        plan.history = history
        beeminder.add(plan, to: user, at: now)
    }

    /// An answer of the simulated Beeminder.
    struct Reply {
        let action: SimulatedAction

        var status: Int { action.response.status }
        var text: String { String(decoding: action.response.body, as: UTF8.self) }
        var json: OrderedJSON? { OrderedJSON(text: Array(action.response.body)) }

        subscript(_ key: String) -> OrderedJSON? { json?[key] }

        /// The elements of an array.
        var list: [OrderedJSON] { json?.list ?? [] }

        /// The keys of the outermost object in the order in which they were sent.
        var keys: [String] { json?.keys ?? [] }
    }

    /// Sends a form, with the personal token unless told otherwise.
    mutating func send(
        _ method: RelayHTTP.Method, _ target: String, _ form: String = "",
        token: String? = "auth_token=secret"
    ) -> Reply {
        let call = SimulatedCall(
            method, target, contentType: "application/x-www-form-urlencoded",
            body: [form, token ?? ""].filter { !$0.isEmpty }.joined(separator: "&"))
        return send(call)
    }

    /// Sends a call as it is.
    mutating func send(_ call: SimulatedCall) -> Reply {
        Reply(action: beeminder.respond(to: call, at: now))
    }

    /// Posts a datapoint to `test`.
    mutating func post(_ form: String) -> Reply {
        send(.post, "/api/v1/users/me/goals/test/datapoints.json", form)
    }

    /// Reads something.
    mutating func get(_ path: String) -> Reply {
        let joint = path.contains("?") ? "&" : "?"
        let call = SimulatedCall(.get, "/api/v1/\(path)\(joint)auth_token=secret")
        return send(call)
    }
}

extension OrderedJSON {
    subscript(_ key: String) -> OrderedJSON? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The elements of an array.
    var list: [OrderedJSON] { if case .array(let elements) = self { elements } else { [] } }

    /// The keys of an object, in order.
    var keys: [String] {
        if case .object(let object) = self { object.members.map(\.key) } else { [] }
    }
}
