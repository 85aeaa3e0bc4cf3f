import BeemedDomain
import RelayHTTP
import RelayTrunk

extension Relay {
    /// `GET /docs`, its style and script, and `GET /openapi.yaml`.
    func manual(_ part: Manual.Part, _ call: Call) -> Response {
        Manual.response(part, for: reader(call)).unlessKnown(KnownTags(call.request))
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
            let urgent = engine.core.snapshot(at: call.moment, limit: 1).goals.first
            goal = urgent.flatMap { GoalSlug($0.goal.slug) }
        }
        let home = addressAtHome(call)
        return ManualReader(
            host: home.host, prefix: home.prefix, isSecure: home.isSecure,
            root: call.request.target.root, goal: goal)
    }
}
