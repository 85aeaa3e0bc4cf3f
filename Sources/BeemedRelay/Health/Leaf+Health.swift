import RelayHTTP
package import RelayTrunk

extension Leaf {
    /// Days of health data, and the rules that make datapoints of them.
    package static let health: Leaf = {
        var leaf = Leaf()
        leaf.routes = [
            Route(
                .post, "/health", .health, query: nil, bodyBytes: HealthBody.maxBytes,
                tooLarge: HealthBody.tooLarge, .showsContent
            ) { try $0.receiveHealth($1, $1.bearer) },
            Route(.get, "/health/seen", .read) { relay, _ in relay.seenMetrics },
            Route(.get, "/rules", .read) { relay, _ in relay.list(relay.health.rules) },
            Route(.get, "/rules/{name}", .read, .isEntry) {
                try $0.show($0.health.rules, $1)
            },
            Route(.put, "/rules/{name}", .manage) { try $0.setRule($1) },
            Route(.delete, "/rules/{name}", .manage) { try $0.removeRule($1) },
        ]
        leaf.sections = [CommandSection("Health data", RuleCommands.all)]
        leaf.open = { (store, report) throws(Failure) in
            let rules = try store.book(of: Book<HealthRule>.self, noting: &report)
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
