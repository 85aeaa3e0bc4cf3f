import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /docs`, its style and script, and `GET /openapi.yaml`.
    func manual(_ part: Manual.Part, _ call: Call) -> Response {
        let reader = { self.reader(call) }
        let response =
            part == .page ? manualCache.page(for: reader()) : Manual.response(part, for: reader())
        return response.unlessKnown(KnownTags(call.request))
    }

    /// `GET /docs/recipes/{file}`: a recipe with this relay's address inserted.
    func recipe(_ call: Call) throws(Problem) -> Response {
        guard let recipe = ManualRecipe.named(call.name) else {
            throw .notFound("there is no recipe '\(call.name.prefix(64))'; /docs names them")
        }
        return recipe.response(for: reader(call, showsUrgent: false))
            .unlessKnown(KnownTags(call.request))
    }

    /// The reader of the manual. Its goal is the requested one, else the owner's most urgent one:
    /// only the owner may learn which goals exist.
    private func reader(
        _ call: Call, showsUrgent: Bool = true
    ) -> ManualReader {
        let query = call.request.target.query ?? ""
        let asked = FormDecoder.value(of: ["goal"], in: query, atMost: 256)
        var goal = asked.flatMap(GoalSlug.init)
        if goal == nil, showsUrgent, isSignedIn(call) {
            let urgent = engine.snapshot(at: call.moment, limit: 1).goals.first
            goal = urgent.flatMap { GoalSlug($0.goal.slug) }
        }
        let home = addressAtHome(call)
        return ManualReader(
            host: home.host, prefix: home.prefix, isSecure: home.isSecure,
            root: call.request.target.root, goal: goal)
    }

    /// Where devices reach the relay: at the host name that the reader uses or, if that is the
    /// loopback, at the address in the home network. Devices have no session of Home Assistant, so
    /// for readers within it the relay's own port is named.
    func addressAtHome(_ call: Call) -> HomeAddress {
        let host = call.context.host ?? "\(settings.listen.reachable)"
        if call.context.isIngress {
            let port = site?.endpoint?.port ?? settings.listen.port
            return HomeAddress(host: "\(HostCheck.withoutPort(host)):\(port)")
        }
        let isSecure = call.context.isSecure
        guard HostCheck.isThisMachine(host), let endpoint = site?.endpoint,
            !endpoint.address.isLoopback
        else {
            return HomeAddress(host: host, prefix: call.context.prefix, isSecure: isSecure)
        }
        return HomeAddress(host: "\(endpoint)", isSecure: isSecure)
    }
}

/// Where devices in the home network reach the relay.
struct HomeAddress {
    /// The host, with a port where one is needed.
    var host: String
    /// The path below which a proxy serves the relay; empty at the root.
    var prefix = ""
    /// Whether they use TLS, to a proxy.
    var isSecure = false

    /// The base of every route, without a slash at its end.
    var url: String { "\(isSecure ? "https" : "http")://\(host)\(prefix)" }
}
