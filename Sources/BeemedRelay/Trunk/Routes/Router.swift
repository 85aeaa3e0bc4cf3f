import RelayHTTP

extension RouteTable {
    /// The routes of a relay with these leaves: each stands in one place. Router, 405s, rights,
    /// admission, the checks of queries, what the request log shows and what a cluster's follower
    /// does are made from the table, and a test holds openapi.yaml to it.
    package init(of leaves: [Leaf]) {
        self.init(RouteTable.trunk + leaves.flatMap(\.routes))
    }

    private static let trunk: [Route] = [
        Route(.post, "/log", .log, .press, handle: LogRoutes.log),
        Route(.put, "/log", .log, .press, handle: LogRoutes.log),
        Route(.post, "/log/{goal}", .log, .press, handle: LogRoutes.log),
        Route(.put, "/log/{goal}", .log, .press, handle: LogRoutes.log),
        Route(.get, "/log/{goal}/trigger", .log, [.press, .changesByGet], handle: LogRoutes.log),
        Route(.get, "/log/{goal}/undo", .log, [.press, .changesByGet], handle: LogRoutes.undo),
        Route(.post, "/log/{goal}/undo", .log, [.press, .changesByGet], handle: LogRoutes.undo),
        Route(
            .get, "/events", .read, query: EventQuestion.names, [.showsContent, .isPrompt],
            handle: EventRoutes.list),
        // The answer names the unknown fields.
        Route(
            .post, "/events", .log, query: nil, bodyBytes: 1 << 20, [.showsContent, .isPrompt],
            handle: PostedEvents.receive),
        Route(.get, "/events/{id}", .read, .isPrompt, handle: EventRoutes.show),
        Route(.delete, "/events/{id}", .log, .isPrompt, handle: EventRoutes.undo),
        Route(
            .post, "/events/{id}/retry", .log, query: ["goal"], handle: EventRoutes.retry),
        Route(.post, "/flush", .log, handle: EventRoutes.flush),
        Route(
            .get, "/context", .read, query: ContextView.names + ["wait"], .isPrompt,
            handle: ContextRoutes.show),
        Route(
            .get, "/context/stream", .read, query: ContextView.names, [.isPrompt, .isLong],
            handle: ContextRoutes.stream),
        Route(.get, "/goals", .read, query: ["days"], handle: GoalRoutes.list),
        Route(.post, "/goals/refresh", .read, handle: GoalRoutes.refresh),
        Route(.get, "/pins", .read, handle: PinRoutes.list),
        Route(.put, "/pins/{goal}", .manage, query: ["position"], handle: PinRoutes.pin),
        Route(.delete, "/pins/{goal}", .manage, handle: PinRoutes.unpin),
        Route(.get, "/presets", .read, handle: BookRoutes<Preset>.list),
        Route(.get, "/presets/{name}", .read, .isEntry, handle: BookRoutes<Preset>.show),
        Route(.put, "/presets/{name}", .manage, handle: PresetRoutes.set),
        Route(.delete, "/presets/{name}", .manage, handle: BookRoutes<Preset>.remove),
        Route(.get, "/connection", .manage, .hidesTarget, handle: AccountRoutes.show),
        Route(.put, "/connection", .manage, .hidesTarget, handle: AccountRoutes.connect),
        Route(.delete, "/connection", .manage, .hidesTarget, handle: AccountRoutes.disconnect),
        Route(open: .get, "/oauth/start", .signsIn, handle: OAuthRoutes.begin),
        Route(open: .get, "/oauth/callback", .signsIn, handle: OAuthRoutes.end),
        Route(open: .post, "/oauth/callback", .signsIn, handle: OAuthRoutes.end),
        Route(.get, "/devices", .manage, handle: DeviceRoutes.list),
        Route(.post, "/devices", .manage, handle: DeviceRoutes.add),
        Route(.put, "/devices/{name}", .manage, handle: DeviceRoutes.adopt),
        Route(.patch, "/devices/{name}", .manage, handle: DeviceRoutes.limit),
        Route(.delete, "/devices/{name}", .manage, handle: DeviceRoutes.remove),
        Route(.post, "/devices/{name}/rotate", .manage, handle: DeviceRoutes.rotate),
        Route(.put, "/devices/{name}/expect", .manage, handle: DeviceRoutes.expect),
        Route(open: .get, "/login", .signsIn, handle: SessionRoutes.signIn),
        Route(.post, "/logout", .manage, handle: SessionRoutes.signOut),
        Route(.delete, "/sessions", .manage, handle: SessionRoutes.signOutEverywhere),
        Route(.post, "/owner-link", .manage, handle: SessionRoutes.ownerLink),
        Route(.get, "/requests", .manage, handle: StatusRoutes.requests),
        Route(.get, "/metrics", .read, handle: StatusRoutes.metrics),
        Route(.get, "/settings", .manage, handle: StatusRoutes.settings),
        Route(open: .get, "/healthz", handle: StatusRoutes.health),
        Route(open: .get, "/readyz", handle: StatusRoutes.readiness),
    ]
}
