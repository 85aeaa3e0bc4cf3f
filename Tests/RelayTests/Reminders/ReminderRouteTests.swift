import BeemedDomain
import Foundation
import RelayHTTP
import Synchronization
import Testing

@testable import BeeminderSimulator
@testable import RelayTrunk

/// Reminders through a whole relay, to services of the test's own.
struct ReminderRouteTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
    private static let broken =
        "HTTP/1.1 500 No\r\nRetry-After: nan\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    private let folder = TemporaryFolder()

    /// A relay without quiet hours whose goals are all quiet, and which has these services.
    private func started(
        _ beeminder: RunningBeeminder, notify: [String] = []
    ) throws -> RunningRelayProgram {
        let relay = try RunningRelayProgram.settled(in: folder, beeminder)
        try put(relay, "/reminders", #"{"quietHours":"off"}"#)
        let goals = try members(try relay.call("GET", "/goals").body)["goals"] as? [NSDictionary]
        for goal in try require(goals) {
            let slug = try require(goal["slug"] as? String)
            try put(relay, "/goals/\(slug)/reminder", #"{"off":true}"#)
        }
        for url in notify {
            let added = try relay.call(
                "POST", "/reminders/services", #"{"url":"\#(url)"}"#, token: relay.owner)
            expect(added.status, is: 200, "\(added.body)")
        }
        return relay
    }

    private func put(_ relay: RunningRelayProgram, _ path: String, _ body: String) throws {
        let answer = try relay.call("PUT", path, body, token: relay.owner)
        expect(answer.status, is: 200, "\(answer.body)")
    }

    /// Lets a goal of the simulated Beeminder be due now.
    private func makeDue(_ relay: RunningRelayProgram, _ goal: String = "water") throws {
        try put(relay, "/goals/\(goal)/reminder", #"{"hours":168}"#)
    }

    /// A relay that has reminded of a goal at this address of a service's port, and the service.
    private func reminded(
        at url: (UInt16) -> String
    ) throws -> (RunningRelayProgram, RawBeeminder) {
        let service = try RawBeeminder { _ in Self.ok }
        let relay = try started(try RunningBeeminder(), notify: [url(service.port)])
        try makeDue(relay)
        expect(service.awaitOne())
        try awaitSent(1, relay)
        return (relay, service)
    }

    private func reminders(_ relay: RunningRelayProgram) throws -> NSDictionary {
        try members(try relay.call("GET", "/reminders", token: relay.owner).body)
    }

    /// The reminders that were recorded as sent.
    private func sent(_ relay: RunningRelayProgram) throws -> [NSDictionary] {
        try reminders(relay)["sent"] as? [NSDictionary] ?? []
    }

    /// Waits until so many are recorded.
    private func awaitSent(_ count: Int, _ relay: RunningRelayProgram) throws {
        while try sent(relay).count < count {}
    }

    @Test func `services get what they understand`() {
        each(
            Self.init,
            [
                Self.`ntfy gets a goal that is due, as its API wants it, once over restarts`,
                Self.`a press that is enough deletes the message at ntfy`,
                Self.`Gotify gets a message with its app token`,
                Self.`anything else gets JSON, and hears when it is over`,
            ])
    }

    private func `ntfy gets a goal that is due, as its API wants it, once over restarts`() throws {
        let beeminder = try RunningBeeminder()
        let service = try RawBeeminder { _ in Self.ok }
        let url = "ntfy+http://tk_secret@127.0.0.1:\(service.port)/goals-7k2"
        var relay = try started(beeminder, notify: [url])
        try makeDue(relay)
        expect(service.awaitOne())
        try awaitSent(1, relay)
        let head = try require(service.asked.first)
        expect(head.hasPrefix("POST /goals-7k2 HTTP/1.1"))
        for field in [
            "Authorization: Bearer tk_secret", "Title: water", "X-Sequence-Id: due-water-",
            "Priority: ", "Click: \(beeminder.base)/",
        ] {
            expect(head.lowercased().contains(field.lowercased()), "\(field) in \(head)")
        }
        expect(service.bodies[0].contains("derails in"))
        let shown = try relay.call("GET", "/reminders", token: relay.owner).body
        expect(!shown.contains("tk_secret") && !shown.contains("goals-7k2"))
        relay.stop()
        relay = try RunningRelayProgram(in: folder, beeminder)
        try relay.awaitGoals()
        try expect(sent(relay).count, is: 1)
        // Whatever would have been sent by now is before the test.
        try expect(relay.call("POST", "/reminders/test", token: relay.owner).status, is: 200)
        let titles = service.asked.map { $0.lowercased().contains("x-sequence-id: test") }
        expect(titles, is: [false, true])
    }

    private func `a press that is enough deletes the message at ntfy`() throws {
        let (relay, service) = try reminded { "ntfy+http://127.0.0.1:\($0)/goals" }
        try expect(relay.call("POST", "/log/water", "5000").status, is: 200)
        expect(service.awaitOne())
        let id = try require(service.asked[0].firstMatch(of: /(?i)X-Sequence-ID: (\S+)/)).1
        expect(service.asked[1].hasPrefix("DELETE /goals/\(id) HTTP/1.1"))
        while try sent(relay).first?["withdrawn"] as? Bool != true {}
    }

    private func `Gotify gets a message with its app token`() throws {
        let (_, service) = try reminded { "gotify://127.0.0.1:\($0)/?token=A.secret" }
        expect(service.asked[0].hasPrefix("POST /message HTTP/1.1"))
        expect(service.asked[0].contains("X-Gotify-Key: A.secret"))
        let message = try members(service.bodies[0])
        expect((message["title"] as? String)?.hasPrefix("water") == true)
        expect((message["priority"] as? Int).map { $0 >= 5 } == true)
    }

    private func `anything else gets JSON, and hears when it is over`() throws {
        let (relay, service) = try reminded { "http://127.0.0.1:\($0)/api/webhook/beeminder" }
        defer { relay.stop() }
        expect(service.asked[0].hasPrefix("POST /api/webhook/beeminder HTTP/1.1"))
        let message = try members(service.bodies[0])
        expect(message["goal"] as? String, is: "water")
        expect(message["withdrawn"] as? Bool, is: false)
        try expect(relay.call("POST", "/log/water", "5000").status, is: 200)
        expect(service.awaitOne())
        try expect(members(service.bodies[1])["withdrawn"] as? Bool, is: true)
    }

    @Test func `a service that fails or hangs`() {
        each(
            Self.init,
            [
                Self.`a service that hangs delays neither presses nor other services`,
                Self.`a service that refuses is tried again, and the log says why`,
                Self.`a test says what each service has answered`,
                Self.`tests of services that hang are bounded, and so are their threads`,
            ])
    }

    private func `a service that hangs delays neither presses nor other services`() throws {
        let beeminder = try RunningBeeminder()
        let end = DispatchSemaphore(value: 0)
        let hanging = try RawBeeminder { _ in
            end.wait()
            return Self.ok
        }
        let good = try RawBeeminder { _ in Self.ok }
        let relay = try started(
            beeminder,
            notify: [
                "ntfy+http://127.0.0.1:\(hanging.port)/a", "ntfy+http://127.0.0.1:\(good.port)/b",
            ])
        try makeDue(relay)
        expect(hanging.awaitOne())
        expect(good.awaitOne())
        for _ in 0..<20 { try expect(relay.call("POST", "/log/pushups", "1").status, is: 200) }
        try awaitSent(1, relay)
        expect(hanging.asked.count, is: 1)
        end.signal()
        try awaitSent(2, relay)
        expect(hanging.asked.count, is: 1)
    }

    private func `a service that refuses is tried again, and the log says why`() throws {
        let beeminder = try RunningBeeminder()
        let isFirst = Atomic(true)
        let service = try RawBeeminder { _ in
            isFirst.exchange(false, ordering: .relaxed) ? Self.broken : Self.ok
        }
        let relay = try started(
            beeminder, notify: ["ntfy+http://127.0.0.1:\(service.port)/goals"])
        try makeDue(relay)
        expect(service.awaitOne())
        expect(service.awaitOne())
        try awaitSent(1, relay)
        let attempts = try require(try reminders(relay)["attempts"] as? [NSDictionary])
        expect(attempts.map { $0["ok"] as? Bool }, is: [true, false])
        expect(attempts[1]["why"] as? String, is: "it answered 500")
    }

    private func `a test says what each service has answered`() throws {
        let beeminder = try RunningBeeminder()
        let good = try RawBeeminder { _ in Self.ok }
        let bad = try RawBeeminder { _ in Self.broken }
        let relay = try started(beeminder)
        let none = try relay.call("POST", "/reminders/test", token: relay.owner)
        expect(none.status == 409 && none.body.contains("reminder add"))
        for port in [good.port, bad.port] {
            let added = try relay.call(
                "POST", "/reminders/services", #"{"url":"ntfy+http://127.0.0.1:\#(port)/t"}"#,
                token: relay.owner)
            expect(added.status, is: 200, "\(added.body)")
        }
        let answer = try members(
            try relay.call("POST", "/reminders/test", token: relay.owner).body)
        expect(answer["ok"] as? Bool, is: false)
        let results = try require(answer["results"] as? [NSDictionary])
        expect(results.count, is: 2)
        expect(results.compactMap { $0["why"] as? String }, is: ["it answered 500"])
    }

    private func `tests of services that hang are bounded, and so are their threads`() throws {
        let beeminder = try RunningBeeminder()
        let end = DispatchSemaphore(value: 0)
        let hanging = try RawBeeminder { _ in
            end.wait()
            return Self.ok
        }
        defer { for _ in 0..<80 { end.signal() } }
        let relay = try started(
            beeminder,
            notify: (0..<16).map { "ntfy+http://127.0.0.1:\(hanging.port)/t\($0)" })
        let client = relay.begin("POST /reminders/test", token: relay.owner)
        for _ in 0..<16 { expect(hanging.awaitOne()) }
        let other = try relay.call("POST", "/reminders/test", token: relay.owner)
        expect(other.status == 503 && other.body.contains("tested already"))
        try expect(relay.call("POST", "/log/pushups", "1").status, is: 200)
        expect(hanging.asked.count, is: 16)
        // The end of the relay waits for none of them.
        relay.stop()
        let answer = client.answer() ?? ""
        expect(answer.contains("the relay stops"), "\(answer)")
        expect(hanging.asked.count, is: 16)
    }

    @Test func `what is set and shown`() {
        each(
            Self.init,
            [
                Self.`who may only read gets nothing by which a topic can be found`,
                Self.`a mistake is told with what to do`, Self.`what is shown can be set again`,
                Self.`what was set is shown, and stays over a restart`,
            ])
    }

    private func `who may only read gets nothing by which a topic can be found`() throws {
        let beeminder = try RunningBeeminder()
        let service = try RawBeeminder { _ in Self.ok }
        let topic = "quagmire-7k2"
        let relay = try started(
            beeminder, notify: ["ntfy+http://127.0.0.1:\(service.port)/\(topic)"])
        try expect(relay.call("POST", "/reminders/test", token: relay.owner).status, is: 200)
        let name = try require(
            NotifyURL("ntfy+http://127.0.0.1:\(service.port)/\(topic)")?.name.description)
        let own = try relay.call("GET", "/reminders", token: relay.owner).body
        expect(own.contains(name) && own.contains("qua..."))
        let read = try relay.call("GET", "/reminders", token: relay.token)
        expect(read.status == 200 && !read.body.contains("qua"), "\(read.body)")
        expect(!read.body.contains(name.suffix(8)))
        let list = try require(try members(read.body)["services"] as? [NSDictionary])
        expect(list.map { $0["service"] as? String }, is: ["ntfy-1"])
        expect(list.map { $0["shown"] as? String }, is: ["ntfy 127.0.0.1"])
        let attempts = try require(try members(read.body)["attempts"] as? [NSDictionary])
        expect(attempts.map { $0["service"] as? String }, is: ["ntfy-1"])
    }

    @Test func `no message offers +1 to a goal of readings`() async throws {
        let beeminder = try RunningBeeminder()
        await beeminder.change { world in
            guard let place = world.locate(goal: "water") else { return }
            world.users[place.user].goals[place.goal].settings.kind = .fatloser
        }
        let ntfy = try RawBeeminder { _ in Self.ok }
        let json = try RawBeeminder { _ in Self.ok }
        let relay = try started(
            beeminder,
            notify: [
                "ntfy+http://127.0.0.1:\(ntfy.port)/goals?actions=1",
                "http://127.0.0.1:\(json.port)/hook",
            ])
        defer { relay.stop() }
        try makeDue(relay)
        expect(ntfy.awaitOne() && json.awaitOne())
        let line = try require(ntfy.asked[0].firstMatch(of: /Actions: (.+)/)).1
        let actions = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [NSDictionary]
        expect(actions?.map { $0["label"] as? String }, is: ["Later"])
        try expect(members(json.bodies[0])["adds"] as? Bool, is: false)
    }

    @Test func `buttons log once however often they are tapped, and put off`() throws {
        let (relay, service) = try reminded { "ntfy+http://127.0.0.1:\($0)/goals?actions=1" }
        let line = try require(service.asked[0].firstMatch(of: /Actions: (.+)/)).1
        let actions = try require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [NSDictionary])
        expect(actions.map { $0["label"] as? String }, is: ["+1", "Later"])
        var paths: [String] = []
        var token = ""
        for action in actions {
            let url = try require(URL(string: action["url"] as? String ?? ""))
            paths.append("\(url.path)?\(url.query ?? "")")
            let fields = try require(action["headers"] as? NSDictionary)
            token = String(try require(fields["Authorization"] as? String).dropFirst(7))
        }
        expect(paths[0].contains(/&id=due-water-\d{8}\.[0-9a-z]+$/), "one for each message")
        let first = try relay.call("POST", paths[0], token: token)
        let second = try relay.call("POST", paths[0], token: token)
        expect(first.status == 200 && second.status == 200)
        try expect(members(second.body)["duplicate"] as? Bool, is: true, "\(second.body)")
        try expect(relay.call("POST", paths[1], token: token).status, is: 200)
        // Of this goal only, and nothing else.
        for (method, path) in [
            ("POST", "/log/pushups"), ("GET", "/events"), ("POST", "/reminders/snooze?hours=1"),
            ("GET", "/reminders"),
        ] {
            let answer = try relay.call(method, path, token: token)
            expect(answer.status, is: 403, "\(method) \(path): \(answer.body)")
        }
        let forged = token.replacing("water", with: "pushups")
        let refused = try relay.call("POST", "/log/pushups", token: forged)
        expect(refused.status, is: 401, "\(refused.body)")
    }

    private func `a mistake is told with what to do`() throws {
        let rows: [(String, String, Int, String)] = [
            ("PUT /reminders", #"{"quietHours":"22-7"}"#, 422, "22:00-07:00"),
            ("POST /reminders/services", #"{"url":"mailto:me@x"}"#, 422, "ntfy://TOPIC"),
            ("POST /reminders/services", "{}", 400, "ntfy://TOPIC"),
            ("DELETE /reminders/services/ntfy-1", "", 404, "GET /reminders"),
            ("PUT /goals/wter/reminder", #"{"hours":6}"#, 404, "water"),
            ("PUT /goals/water/reminder", #"{"hours":0}"#, 400, "168"),
            ("PUT /goals/water/reminder", #"{"hours":6,"off":true}"#, 400, "168"),
            ("POST /reminders/snooze", #"{"goal":"water"}"#, 422, "tomorrow"),
            ("POST /reminders/snooze", #"{"goal":"water","hours":1000}"#, 400, "168"),
            ("POST /reminders/snooze", #"{"goal":"wter","hours":1}"#, 404, "water"),
            ("POST /reminders/snooze?goal=water", #"{"hours":1}"#, 422, "not in both"),
            ("POST /reminders/snooze?goal=water&until=x", "", 400, "tomorrow"),
            ("PUT /devices/first/expect", #"{"expect":"daily"}"#, 422, "1d"),
            ("PUT /devices/nobody/expect", #"{"expect":"1d"}"#, 404, "device list"),
            ("PUT /devices/first/expect", #"{"expect":"1d","Expect":1}"#, 422, "'Expect' here"),
            ("POST /devices", #"{"name":"cam","Goals":["water"]}"#, 422, "'goals', 'can'"),
            ("PATCH /devices/first", #"{"goal":"water","value":2}"#, 422, "'can', 'goals', 'goal'"),
            (
                "PUT /presets/sip", #"{"goal":"water","minimuminterval":9}"#, 422,
                "'minimumInterval'"
            ),
            ("PUT /rules/walk", #"{"metric":"x","goal":"water","Floor":true}"#, 422, "'floor'"),
            (
                "PUT /rules/walk", #"{"metric":"x","goal":"water","aggregate":"average"}"#, 400,
                "sum|last|max"
            ),
            ("PUT /connection", #"{"authToken":"a","user":"b"}"#, 422, "'username'"),
            ("PUT /reminders", #"{"quietHours":"off","quiet":"22:00-07:00"}"#, 422, "'quiet' here"),
            ("POST /reminders/services", #"{"url":"ntfy://t","actions":1}"#, 422, "'actions' here"),
            ("POST /reminders/snooze", #"{"goal":"water","hour":1}"#, 422, "'hours', 'until'"),
            ("PUT /goals/water/reminder", #"{"hours":6,"of":true}"#, 422, "'hours', 'off'"),
            ("POST /events/1/retry", #"{"Goal":"water"}"#, 422, "this path takes 'goal'"),
        ]
        let relay = try started(try RunningBeeminder())
        for (request, body, status, words) in rows {
            let parts = request.split(separator: " ").map(String.init)
            let answer = try relay.call(parts[0], parts[1], body, token: relay.owner)
            expect(answer.status, is: status, "\(answer.body)")
            expect(answer.body.contains(words), "\(answer.body)")
        }
    }

    private func `what is shown can be set again`() throws {
        let rows: [(String, String)] = [
            ("/presets/sip", #"{"goal":"water","value":2,"oncePerDay":true}"#),
            ("/rules/walk", #"{"metric":"steps","goal":"water","floor":true}"#),
        ]
        let relay = try started(try RunningBeeminder())
        for (path, body) in rows {
            try expect(relay.call("PUT", path, body, token: relay.owner).status, is: 200)
            let list = String(path.split(separator: "/")[0])
            let shown = try members(try relay.call("GET", "/" + list, token: relay.owner).body)
            let one = try require((shown[list] as? [NSDictionary])?.first)
            let text = String(
                decoding: try JSONSerialization.data(withJSONObject: one), as: UTF8.self)
            try expect(relay.call("PUT", path, text, token: relay.owner).status, is: 200, "\(text)")
        }
    }

    private func `what was set is shown, and stays over a restart`() throws {
        let beeminder = try RunningBeeminder()
        var relay = try started(beeminder)
        try put(relay, "/reminders", #"{"quietHours":"23:30-6:00"}"#)
        try put(relay, "/goals/water/reminder", #"{"hours":6}"#)
        try put(relay, "/goals/pushups/reminder", #"{"off":true}"#)
        try put(relay, "/devices/first/expect", #"{"expect":"2d"}"#)
        let owner = relay.owner
        let url = #"{"url":"ntfy://my-goals-7k2"}"#
        try expect(relay.call("POST", "/reminders/services", url, token: owner).status, is: 200)
        try expect(relay.call("POST", "/reminders/services", url, token: owner).status, is: 409)
        // The same address with buttons takes its place.
        let buttons = #"{"url":"ntfy://my-goals-7k2?actions=1"}"#
        try expect(relay.call("POST", "/reminders/services", buttons, token: owner).status, is: 200)
        let put = try relay.call(
            "POST", "/reminders/snooze", #"{"goal":"water","until":"tomorrow"}"#, token: owner)
        expect(put.status, is: 200)
        relay.stop()
        relay = try RunningRelayProgram(in: folder, beeminder)
        let shown = try reminders(relay)
        expect(shown["quietHours"] as? String, is: "23:30-06:00")
        expect((shown["goals"] as? [NSDictionary])?.count == 3)
        expect((shown["snoozes"] as? [NSDictionary])?.count == 1)
        expect((shown["services"] as? [NSDictionary])?.count == 1)
        let devices = try relay.call("GET", "/devices", token: owner).body
        expect(devices.contains(#""expect":"2d""#))
        let name = try require(
            (shown["services"] as? [NSDictionary])?.first?["service"] as? String)
        try expect(
            relay.call("DELETE", "/reminders/services/\(name)", token: owner).status, is: 200)
        try expect(
            relay.call("DELETE", "/reminders/snooze?goal=water", token: owner).status, is: 200)
        expect((try reminders(relay)["snoozes"] as? [NSDictionary])?.isEmpty == true)
    }
}
