import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /docs`, its style and script, and `GET /openapi.yaml`.
    func manual(_ part: Manual.Part, _ call: Call) -> Response {
        call.entry.isReadOnly = true
        let reader = { self.reader(call) }
        let response =
            part == .page ? manualCache.page(for: reader()) : Manual.response(part, for: reader())
        return response.unlessKnown(call.request.fields.joined(.ifNoneMatch))
    }

    /// `GET /docs/recipes/{file}`: a recipe with this relay's address inserted.
    func recipe(_ file: String, _ call: Call) throws(Problem)
        -> Response
    {
        call.entry.isReadOnly = true
        let recipe = ManualRecipe.named(file)
        guard let recipe else {
            throw .notFound("there is no recipe '\(file.prefix(64))'; /docs names them")
        }
        return recipe.response(for: reader(call, showsUrgent: false))
            .unlessKnown(call.request.fields.joined(.ifNoneMatch))
    }

    /// The reader of the manual. Its goal is the requested one, else the owner's most urgent one:
    /// only the owner may learn which goals exist.
    private func reader(
        _ call: Call, showsUrgent: Bool = true
    ) -> ManualReader {
        let asked = FormDecoder.pairs(call.request.target.query ?? "").first { $0.name == "goal" }
        var goal = asked.flatMap { GoalSlug($0.value) }
        if goal == nil, showsUrgent, isSignedIn(call) {
            let urgent = engine.snapshot(at: call.moment, limit: 1).goals.first
            goal = urgent.flatMap { GoalSlug($0.goal.slug) }
        }
        return ManualReader(host: addressAtHome(call), isSecure: call.context.isSecure, goal: goal)
    }

    /// The address at which devices reach the relay: the host name that the reader uses or, if that
    /// is the loopback, the address in the home network. It includes the port where one is needed.
    func addressAtHome(_ call: Call) -> String {
        let host = call.context.host ?? "\(settings.listen.reachable)"
        guard HostCheck.isThisMachine(host), let endpoint = site?.endpoint,
            !endpoint.address.isLoopback
        else {
            return host
        }
        return "\(endpoint)"
    }
}
