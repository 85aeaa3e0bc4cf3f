import RelayHTTP

extension Relay {
    /// The way of every request from its path to its handler.
    ///
    /// - Returns: the answer, or nil when it follows later.
    /// - Throws: `Problem`, the refusal.
    func route(_ call: Call) throws(Problem) -> Response? {
        guard !call.request.target.isServer else { return Relay.options(Method.all) }
        let (match, route) = try match(call)
        call.route = match.path.pattern
        guard let route else { return Relay.options(match.path.methods) }
        call.take(route, name: match.name)
        if route.isOpen, let problem = access.limitUnauthenticated(call.context) { throw problem }
        if !call.request.body.isEmpty, let problem = Relay.codingProblem(of: call.request) {
            throw try refusal(ofUnreadable: call, problem)
        }
        do {
            switch route.access {
            case .open(let handle), .press(let handle): return try handle(self, call)
            case .right(let right, let handle):
                return try handle(self, call, try authenticate(call, right))
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            preconditionFailure("a handler throws problems only, and not \(error)")
        }
    }

    private func match(_ call: Call) throws(Problem) -> (RouteTable.Match, Route?) {
        if let known = call.known.match { return known }
        do throws(Problem) {
            let found = try routes.match(call.request)
            call.known.match = found
            return found
        } catch {
            throw access.limitUnauthenticated(call.context) ?? error
        }
    }

    /// The refusal of compressed content (RFC 9110 section 15.5.16); nil for any other.
    private static func codingProblem(of request: Request) -> Problem? {
        let isPlain = request.fields.isWord(.identity, of: .contentEncoding)
        let given = request.fields.allBytes(of: .contentEncoding)
        guard let coding = given.first(where: { !$0.isEmpty }), !isPlain || given.count > 1 else {
            return nil
        }
        let name = String(decoding: coding.prefix(40), as: UTF8.self)
        return Problem(.contentEncoding, "send the body as it is, without '\(name)'")
    }

    private static func options(_ methods: [Method]) -> Response {
        let list = methods.map(\.token).joined(separator: ", ")
        return Response(status: 200, fields: [Response.Field("Allow", list)])
    }
}
