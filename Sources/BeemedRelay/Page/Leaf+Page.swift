import RelayHTTP
package import RelayTrunk

extension Leaf {
    /// The web page, and the manual with the contract and the recipes.
    package static let page: Leaf = {
        var leaf = Leaf()
        leaf.routes = [
            Route(open: .get, "/") { $0.home($1) },
            Route(open: .get, "/page/{file}") { try $0.page($1) },
            Route(.post, "/qr", .manage, .isRead) { try $0.drawCode($1) },
            Route(open: .get, "/docs/recipes/{file}") { try $0.recipe($1) },
        ]
        leaf.routes += Manual.Part.allCases.map { part in
            Route(open: .get, part.path) { $0.manual(part, $1) }
        }
        return leaf
    }()
}
