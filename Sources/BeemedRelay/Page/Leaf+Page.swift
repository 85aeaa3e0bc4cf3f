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
            Route(open: .get, "/docs") { $0.manual($1) },
            Route(open: .get, "/docs/manual.css") { Manual.css.unlessKnown(KnownTags($1.request)) },
            Route(open: .get, "/docs/manual.js") { Manual.js.unlessKnown(KnownTags($1.request)) },
            Route(open: .get, "/openapi.yaml") { Manual.yaml.unlessKnown(KnownTags($1.request)) },
        ]
        return leaf
    }()
}
