import RelayHTTP
package import RelayTrunk

extension Leaf {
    /// Days of health data, and the rules that make datapoints of them.
    package static let health: Leaf = {
        var leaf = Leaf()
        leaf.routes = [
            Route(
                .post, "/health", .health, query: nil, bodyBytes: HealthBody.maxBytes,
                tooLarge: HealthBody.tooLarge, .showsContent, handle: HealthQueue.receive),
            Route(.get, "/health/seen", .read, handle: SeenMetrics.show),
            Route(.get, "/rules", .read, handle: BookRoutes<HealthRule>.list),
            Route(.get, "/rules/{name}", .read, .isEntry, handle: BookRoutes<HealthRule>.show),
            Route(.put, "/rules/{name}", .manage, handle: HealthRule.set),
            Route(.delete, "/rules/{name}", .manage, handle: BookRoutes<HealthRule>.remove),
        ]
        leaf.sections = [CommandSection("Health data", RuleCommands.all)]
        leaf.open = { (store, report) throws(Failure) in
            let rules = try store.settings(.rules, orElse: Book<HealthRule>(), noting: &report)
            let seen = store.saved(.seenMetrics, SeenMetrics.self) ?? SeenMetrics()
            let held = store.heldBodies
            return { HealthQueue(rules, seen, held) }
        }
        leaf.forgetUser = { store, log in
            store.removeSamples()
            _ = store.save(SeenMetrics(), as: .seenMetrics, log)
        }
        return leaf
    }()
}
