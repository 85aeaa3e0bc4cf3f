import BeemedDomain
import RelayHTTP

extension Relay {
    /// `GET /docs`, its style and script, and `GET /openapi.yaml`.
    func manual(_ part: Manual.Part, _ request: Request, _ context: RequestContext) -> Response {
        let reader = { self.reader(request, context) }
        let response =
            part == .page ? manualCache.page(for: reader()) : Manual.response(part, for: reader())
        return response.unlessKnown(request.fields.joined(.ifNoneMatch))
    }

    /// `GET /docs/recipes/{file}`: a recipe with this relay's address inserted.
    func recipe(_ file: String, _ request: Request, _ context: RequestContext) throws(Problem)
        -> Response
    {
        let recipe = ManualRecipe.named(file)
        guard let recipe else {
            throw .notFound("there is no recipe '\(file.prefix(64))'; /docs names them")
        }
        return recipe.response(for: reader(request, context, showsUrgent: false))
            .unlessKnown(request.fields.joined(.ifNoneMatch))
    }

    /// The reader of the manual. Its goal is the requested one, else the owner's most urgent one:
    /// only the owner may learn which goals exist.
    private func reader(
        _ request: Request, _ context: RequestContext, showsUrgent: Bool = true
    ) -> ManualReader {
        let asked = FormDecoder.pairs(request.target.query ?? "").first { $0.name == "goal" }
        var goal = asked.flatMap { GoalSlug($0.value) }
        if goal == nil, showsUrgent, isSignedIn(request, context) {
            let urgent = core.snapshot(at: context.moment, limit: 1).goals.first
            goal = urgent.flatMap { GoalSlug($0.goal.slug) }
        }
        return ManualReader(host: addressAtHome(context), isSecure: context.isSecure, goal: goal)
    }

    /// The address at which devices reach the relay: the host name that the reader uses or, if that
    /// is the loopback, the address in the home network. It includes the port where one is needed.
    func addressAtHome(_ context: RequestContext) -> String {
        let host = context.host ?? "\(settings.listen.reachable)"
        guard HostCheck.isThisMachine(host), let endpoint, !endpoint.address.isLoopback else {
            return host
        }
        return "\(endpoint)"
    }
}
