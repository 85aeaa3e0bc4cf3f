import RelayHTTP

/// The routes under `/api/v1/`.
enum APIRoute: Equatable, Sendable {
    case user(String)
    case goals(String)
    case archived(String)
    case goal(String, String)
    case refreshGraph(String, String)
    case datapoints(String, String)
    case createAll(String, String)
    case datapoint(String, String, String)
    case authToken
    case charges
    case pledge(String, String, PledgeAction)

    /// An action on a goal's pledge, by its name in the path.
    enum PledgeAction: String, Sendable {
        case stepdown, shortcircuit
        case cancelStepdown = "cancel_stepdown"
    }

    /// The route of a path without `.json`; nil for an unknown path.
    init?(_ path: [String]) {
        guard path.starts(with: ["api", "v1"]) else { return nil }
        let rest = Array(path.dropFirst(2))
        if rest == ["auth_token"] {
            self = .authToken
            return
        }
        if rest == ["me"] {
            self = .user("me")
            return
        }
        if rest == ["charges"] {
            self = .charges
            return
        }
        guard rest.count >= 2, rest[0] == "users" else { return nil }
        self.init(user: rest[1], Array(rest.dropFirst(2)))
    }

    private init?(user: String, _ rest: [String]) {
        guard let first = rest.first else {
            self = .user(user)
            return
        }
        guard first == "goals" else { return nil }
        let slug = rest.count > 1 ? rest[1] : ""
        switch (rest.count, rest.count > 2 ? rest[2] : "") {
        case (1, _): self = .goals(user)
        case (2, _): self = slug == "archived" ? .archived(user) : .goal(user, slug)
        case (3, "datapoints"): self = .datapoints(user, slug)
        case (3, "refresh_graph"): self = .refreshGraph(user, slug)
        case (3, let word):
            guard let action = PledgeAction(rawValue: word) else { return nil }
            self = .pledge(user, slug, action)
        case (4, "datapoints"):
            self =
                rest[3] == "create_all"
                ? .createAll(user, slug) : .datapoint(user, slug, rest[3])
        case _: return nil
        }
    }

    /// The name of the route in faults.
    var name: String {
        switch self {
        case .user: "user"
        case .goals: "goals"
        case .archived: "archived"
        case .goal: "goal"
        case .refreshGraph: "refresh_graph"
        case .datapoints: "datapoints"
        case .createAll: "create_all"
        case .datapoint: "datapoint"
        case .authToken: "auth_token"
        case .charges: "charges"
        case .pledge(_, _, let action): action.rawValue
        }
    }

    /// The goal's slug, for a route below a goal.
    var goal: String? {
        switch self {
        case .user, .goals, .archived, .authToken, .charges: nil
        case .goal(_, let slug), .refreshGraph(_, let slug), .datapoints(_, let slug),
            .createAll(_, let slug), .datapoint(_, let slug, _), .pledge(_, let slug, _):
            slug
        }
    }

    var methods: [RelayHTTP.Method] {
        switch self {
        case .user, .archived, .refreshGraph, .authToken: [.get, .head]
        case .goal: [.get, .head, .put, .patch]
        case .goals, .datapoints: [.get, .head, .post]
        case .createAll, .charges, .pledge: [.post]
        case .datapoint: [.put, .patch, .delete]
        }
    }
}
