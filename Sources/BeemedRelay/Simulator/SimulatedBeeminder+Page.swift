import RelayHTTP

/// The page for the user: the state, and the controls for faults.
extension SimulatedBeeminder {
    /// `GET /`, which reloads every two seconds.
    ///
    /// - Parameter host: the requested host, for the commands to copy.
    func page(at now: Double, host: String) -> String {
        let accounts = users.map { account($0, at: now) }.joined(separator: "\n")
        let moods = faults.map { "<li>\(HTMLText.escaped($0.summary))</li>" }.joined()
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8">
            <meta http-equiv="refresh" content="2">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Simulated Beeminder</title>
            <meta name="color-scheme" content="light dark">
            <style>\(style)\(SimulatedBeeminder.style)</style></head><body>
            <header class="bar"><h1 class="brand">Simulated Beeminder</h1></header>
            <main class="sheet">
            <p>Not the real thing: nothing here costs money, and nothing leaves this machine.</p>
            \(accounts)
            <h2>Make it misbehave</h2>
            <ul>\(moods.isEmpty ? "<li>It behaves.</li>" : moods)</ul>
            <p>\(SimulatedBeeminder.buttons)</p>
            \(SimulatedBeeminder.manual(host))
            </main></body></html>
            """
    }

    /// The additions to the style sheet.
    private static let style = """
        .brand { font-size: 1rem }
        .sheet { max-width: 60rem; min-width: 0 } .sheet > * { min-width: 0 }
        table { border-collapse: collapse; width: 100% }
        th, td { text-align: left; padding: .5rem .6rem .5rem 0 }
        tr { border-top: 1px solid var(--line) }
        td i { display: inline-block; width: .8em; height: .8em; border-radius: 50% }
        form { display: inline-block; margin: .15rem 0 }
        @media (max-width: 40rem) {
            table, tbody, tr, td { display: block } tr:has(th) { display: none }
            td { padding: .2rem 0 } tr { padding: .6rem 0 }
        }
        """

    private func account(_ user: SimulatedUser, at now: Double) -> String {
        let active = user.sortedGoals(isArchived: false, at: now)
        let archived = user.sortedGoals(isArchived: true, at: now)
        let rows = (active + archived).map { row($0, user, at: now) }.joined(separator: "\n")
        return """
            <h2>\(HTMLText.escaped(user.username))</h2>
            <p>auth_token <code>\(HTMLText.escaped(user.authToken))</code></p>
            <table><tr><th>Goal<th>Due<th>Total<th>Points<th></tr>
            \(rows)</table>
            <h3>Latest datapoints</h3>
            <table><tr><th>Goal<th>Datapoint<th>Entered<th>requestid</tr>
            \(latest(user))</table>
            """
    }

    private func row(_ goal: SimulatedGoal, _ user: SimulatedUser, at now: Double) -> String {
        let standing = goal.standing(user.rule(goal), at: now)
        let words = standing.map {
            GoalWording(standing: $0, rule: user.rule(goal), units: goal.units, rateText: "")
        }
        let notes = [
            goal.isQueued(at: now) ? "queued" : nil, goal.isFrozen ? "frozen" : nil,
            goal.isArchived ? "archived" : nil,
        ]
        let color = (standing?.color ?? .gray).hex
        return """
            <tr><td><i style="background:\(color)"></i> <b>\(HTMLText.escaped(goal.slug))</b>
            \(HTMLText.escaped(goal.title))<td>\(HTMLText.escaped(words?.limitDate ?? "?"))\
            <td>\(standing.map { GoalWording.shown($0.current) } ?? "?") \
            \(HTMLText.escaped(goal.units))<td>\(goal.datapoints.count)\
            <td>\(notes.compactMap { $0 }.joined(separator: ", "))
            \(SimulatedBeeminder.buttons(for: goal))</tr>
            """
    }

    private func latest(_ user: SimulatedUser) -> String {
        let all = user.goals.flatMap { goal in
            goal.datapoints.filter { !$0.isInitial }.suffix(20).map { (goal: goal, point: $0) }
        }
        let newest = all.sorted { $0.point.id > $1.point.id }.prefix(20)
        return newest.map { goal, point in
            let entered = CivilDay.iso8601(point.createdAt)
            return """
                <tr><td>\(HTMLText.escaped(goal.slug))<td>\(HTMLText.escaped(point.canonical))\
                <td>\(entered)<td>\(HTMLText.escaped(point.requestID ?? ""))</tr>
                """
        }
        .joined(separator: "\n")
    }

    /// Every control, as commands to copy.
    private static func manual(_ host: String) -> String {
        let here = "http://\(HTMLText.escaped(host))"
        return """
            <pre>
            # The next three datapoints are taken, but the answers are lost:
            curl -X POST \(here)/control/faults -d mood=hang_up -d applied=1 \
            -d method=POST -d route=datapoints -d first_calls=3
            # mood: slow, status (status=503), throttled (retry_after=5), html, hang_up,
            #       cut_short (bytes=20), redirect; any of them with delay=SECONDS and applied=1
            # about: method, route (user, goals, archived, goal, datapoints, datapoint, create_all,
            #        refresh_graph, auth_token, charges, stepdown, cancel_stepdown, shortcircuit),
            #        goal
            # when: on_call=N, first_calls=N, chance=0.2; without any of them always
            curl -X DELETE \(here)/control/faults

            # Other selves: graphSeconds, duplicates (refused, accepted),
            # batchErrors (echoed, worded, named, indexed, keyed, silent), batchStatus,
            # batchForgets, takesBareArrays, longestPage, closedGoals (refused, accepted, missing),
            # takesPersonalTokenAsBearer, hasStrangeFields, canonicalHost, callsPerMinute,
            # retryAfterSeconds, datapointsPerDay, authorizesAtOnce
            curl -X POST \(here)/control/quirks -d datapointsPerDay=300

            # What happens on the web: rename, archive, unarchive, freeze, unfreeze, backburner,
            # frontburner
            curl -X POST \(here)/control/goals/water/rename -d to=tea
            curl -X DELETE \(here)/control/goals/water
            curl -X DELETE \(here)/control/goals/water/datapoints/ID
            curl -X POST \(here)/control/goals -d slug=steps -d units=pages -d rate=5 -d pledge=5
            curl -X POST \(here)/control/account -d auth_token=another -d signed_in=1 -d revoke=1
            curl -X POST \(here)/control/apps -d client_id=ID \
            -d redirect_uri=http://localhost:2336/x
            curl \(here)/control
            </pre>
            """
    }
}
