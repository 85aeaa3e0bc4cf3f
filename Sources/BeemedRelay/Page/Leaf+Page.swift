import RelayHTTP
package import RelayTrunk

extension Leaf {
    /// The web page, and the manual with the contract and the recipes.
    package static let page: Leaf = {
        var leaf = Leaf()
        leaf.routes = [
            Route(open: .get, "/", handle: PageRoutes.home),
            Route(open: .get, "/page/{file}", handle: PageRoutes.file),
            Route(.post, "/qr", .manage, .isRead, handle: PageRoutes.drawCode),
            Route(open: .get, "/docs/recipes/{file}", handle: ManualRoutes.recipe),
            Route(open: .get, "/docs", handle: ManualRoutes.page),
            Route(open: .get, "/docs/manual.css") { Manual.css.unlessKnown(KnownTags($1.request)) },
            Route(open: .get, "/docs/manual.js") { Manual.js.unlessKnown(KnownTags($1.request)) },
            Route(open: .get, "/openapi.yaml") { Manual.yaml.unlessKnown(KnownTags($1.request)) },
        ]
        return leaf
    }()
}
