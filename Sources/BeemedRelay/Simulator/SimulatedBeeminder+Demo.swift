package import Foundation

extension SimulatedBeeminder {
    /// A demo: alice and three goals, one of which derails today.
    ///
    /// - Parameters:
    ///   - authToken: alice's personal token.
    ///   - graphSeconds: how long a goal stays `queued` after a datapoint.
    package static func demo(
        authToken: String, zone: TimeZone = .gmt, graphSeconds: Double = 1, seed: UInt64 = 1,
        at now: Double
    ) -> SimulatedBeeminder {
        var world = SimulatedBeeminder(seed: seed)
        let born = now - 30 * 86_400
        let alice = world.addUser("alice", authToken: authToken, zone: zone, at: born)
        world.signedInUser = "alice"
        for plan in demoPlans { world.add(plan, to: alice, at: now) }
        world.quirks.graphSeconds = graphSeconds
        return world
    }

    /// Due today, due the day after tomorrow, and safe for at least a week.
    private static var demoPlans: [GoalPlan] {
        var pushups = GoalPlan(slug: "pushups", units: "pushups", rate: 20)
        pushups.title = "Twenty push-ups a day"
        pushups.pledge = 5
        pushups.ageDays = 3
        pushups.history = [20, 15, 20]
        var water = GoalPlan(slug: "water", units: "litres", rate: 2)
        water.title = "Drink more water"
        water.ageDays = 4
        water.history = [3, 3, 2, 3]
        var reading = GoalPlan(slug: "reading", units: "pages", rate: 50)
        reading.title = "Read a book a month"
        reading.rateUnit = .weekly
        reading.pledge = 10
        reading.ageDays = 5
        reading.history = [40, 30, 0, 25, 15]
        return [pushups, water, reading]
    }
}
