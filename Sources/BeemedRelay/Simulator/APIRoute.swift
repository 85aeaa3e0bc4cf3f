import RelayHTTP

/// A route under `/api/v1/`, with the names in its path.
struct APIRoute: Sendable {
    /// The resources, by the name of the route in faults.
    enum Resource: String, Sendable {
        case user, goals, archived, goal, datapoints, datapoint, charges
        case stepdown, shortcircuit
        case refreshGraph = "refresh_graph"
        case createAll = "create_all"
        case authToken = "auth_token"
        case cancelStepdown = "cancel_stepdown"

        /// The resources of a goal with a path of their own, by its last segment.
        static let belowGoal = Dictionary(
            uniqueKeysWithValues: [
                datapoints, refreshGraph, stepdown, shortcircuit, cancelStepdown,
            ].map { ($0.rawValue, $0) })
    }

    let resource: Resource
    /// The user's name, or `me`.
    private(set) var user = "me"
    /// The goal's slug, for a route below a goal.
    private(set) var goal: String?
    /// The datapoint's id; empty on other routes.
    private(set) var datapoint = ""

    /// The route of a path without `.json`; nil for an unknown path.
    init?(_ path: [String]) {
        guard path.starts(with: ["api", "v1"]) else { return nil }
        let names = Array(path.dropFirst(2))
        switch names {
        case ["auth_token"]: self.init(.authToken)
        case ["me"]: self.init(.user)
        case ["charges"]: self.init(.charges)
        case _:
            guard names.count >= 2, names[0] == "users" else { return nil }
            self.init(user: names[1], Array(names.dropFirst(2)))
        }
    }

    private init(_ resource: Resource) {
        self.resource = resource
    }

    private init?(user: String, _ names: [String]) {
        guard names.first ?? "goals" == "goals" else { return nil }
        switch names.count {
        case 0: resource = .user
        case 1: resource = .goals
        case 2: resource = names[1] == "archived" ? .archived : .goal
        case 3:
            guard let known = Resource.belowGoal[names[2]] else { return nil }
            resource = known
        case 4 where names[2] == "datapoints":
            resource = names[3] == "create_all" ? .createAll : .datapoint
            datapoint = names[3]
        case _: return nil
        }
        self.user = user
        if names.count > 1, resource != .archived { goal = names[1] }
    }

    var methods: [RelayHTTP.Method] {
        switch resource {
        case .user, .archived, .refreshGraph, .authToken: [.get, .head]
        case .goal: [.get, .head, .put, .patch]
        case .goals, .datapoints: [.get, .head, .post]
        case .createAll, .charges, .stepdown, .shortcircuit, .cancelStepdown: [.post]
        case .datapoint: [.put, .patch, .delete]
        }
    }
}
