import Testing

@testable import BeemedDomain

struct GoalAnswerTests {
    private static let user = UpstreamUser(name: "alice", timezone: "Europe/Berlin", updatedAt: 7)

    private func goals(_ body: String, status: Int = 200) -> GoalAnswer {
        GoalAnswer(
            goals: UpstreamAnswer(status: status, body: Array(body.utf8)), of: Self.user)
    }

    private func slugs(_ body: String) -> [String]? {
        guard case .goals(let goals, Self.user, _) = goals(body) else { return nil }
        return goals.map(\.slug)
    }

    /// Recorded 2026-01: what a goal looks like before its first graph.
    private static let fresh =
        #"{"slug":"new","title":"","losedate":1769380723,"deadline":0,"id":"a1","queued":true,"#
        + #""limsum":null,"safebuf":null,"queue":null,"delta":null,"coasting":null,"baremin":null,"#
        + #""lasttouch":null,"roadstatuscolor":"","colorkey":"gray","dueby":null,"pledge":0.0,"#
        + #""urgencykey":"FROx;PPRx;DL0000000000;P1000000000;new","todayta":true}"#

    @Test func `goals`() throws {
        part("reads a goal that is full of nulls") {
            expect(slugs("[\(Self.fresh)]"), is: ["new"])
        }
        // Lets no goal cost the others.
        for (body, expected) in [
            (#"[{"slug":"a"},null,{"slug":"b"}]"#, ["a", "b"]),
            (#"[{"slug":"a"},{"title":"no slug"},7,"x",[]]"#, ["a"]),
            (#"[{"slug":"a","title":["not","a","text"],"deadline":"noon"}]"#, ["a"]),
            (#"[{"slug":"a","losedate":1769489999.0,"pledge":"five"},{"slug":"b"}]"#, ["a", "b"]),
            (#"[{"slug":"a/b"},{"slug":"c"},{"slug":5}]"#, ["c"]),
            (#"[{"slug":"a","zeitgeist":{"level":11,"notes":[null,true]}}]"#, ["a"]),
            ("[]", []),
        ] as [(String, [String])] {
            expect(slugs(body), is: expected, "\(body)")
        }
        part("keeps what can be read of a goal") {
            guard
                case .goals(let goals, _, _) = goals(
                    #"[{"slug":"a","title":"A","losedate":true,"pledge":5.0,"gunits":{}}]"#)
            else { throw Unexpected("no goals") }
            expect(goals.map(\.title), is: ["A"])
            expect(goals.map(\.pledge), is: [5])
            expect(goals.map(\.losedate), is: [nil])
        }
        // Still knows the user when the goals cannot be read.
        for body in ["", "{}", "<html>", "[{\"slug\":\"a\"", #"[{"name":"no slugs at all"}]"#] {
            guard case .userOnly(Self.user, _) = goals(body) else { throw Unexpected(goals(body)) }
        }
        // Still knows the user when the goals are not to be had.
        for (status, why) in [(500, "status 500"), (404, "status 404"), (302, "status 302")]
            as [(Int, String)]
        {
            guard case .userOnly(Self.user, why) = goals("[]", status: status)
            else { throw Unexpected(goals("[]", status: status)) }
        }
    }

    @Test func `users`() throws {
        part("hears that the token is not taken") {
            guard case .unauthorized = goals("{}", status: 401),
                case .answer(.unauthorized) = begin(401, "{}"),
                case .answer(.unauthorized) = begin(403, #"{"error":"Forbidden"}"#)
            else { throw Unexpected("not heard") }
        }
        // Takes nobody for signed out whom somebody else answers.
        for (status, body) in [
            (302, ""), (301, "<html>"), (401, "<html>"), (403, "<html>"), (403, "Blocked"),
            (404, "<html>"), (200, "<html>hotel"), (200, "\u{FEFF} <html>"),
        ] as [(Int, String)] {
            guard case .answer(.unclear) = begin(status, body) else {
                throw Unexpected("\(status) \(body)")
            }
        }
        part("still knows the user when only the goals are barred") {
            guard case .userOnly = goals("<html>", status: 403) else {
                throw Unexpected("not known")
            }
        }
        part("does not ask for the goals when nothing has changed") {
            let body =
                #"{"username":"alice","timezone":"Europe/Berlin","updated_at":7,"goals":["a"]}"#
            guard case .answer(.unchanged(Self.user)) = begin(200, body, since: 7),
                case .askForGoals(Self.user) = begin(200, body, since: 6),
                case .askForGoals(Self.user) = begin(200, body)
            else { throw Unexpected("wrong") }
        }
        part("asks for them when the user does not say") {
            guard case .askForGoals(let user) = begin(200, #"{"username":"bob"}"#, since: 6)
            else { throw Unexpected("wrong") }
            expect(user, is: UpstreamUser(name: "bob"))
        }
        // Knows a test server that has no users.
        for (status, body) in [(404, "{}"), (404, ""), (200, "[]"), (200, "{}")] as [(Int, String)]
        {
            guard case .answer(.noUser) = begin(status, body)
            else { throw Unexpected(begin(status, body)) }
        }
        // Knows nothing from anything else.
        for (status, body) in [
            (200, "{\"username\":"), (500, ""), (429, ""),
        ] as [(Int, String)] {
            guard case .answer(.unclear) = begin(status, body)
            else { throw Unexpected(begin(status, body)) }
        }
        // A second that another change may follow in is not remembered.
        for (age, kept) in [(-1, nil), (0, nil), (1, nil), (2, 100), (3_600, 100)]
            as [(Int64, Int64?)]
        {
            let body = Array(#"{"username":"alice","updated_at":100}"#.utf8)
            let answer = UpstreamAnswer(status: 200, date: UnixTime(100 + age), body: body)
            guard case .askForGoals(let user) = GoalAnswer.begin(answer, since: 99)
            else { throw Unexpected("the goals are not asked for") }
            expect(user.updatedAt, is: kept, "\(age)")
            guard case .answer(.unchanged) = GoalAnswer.begin(answer, since: 100)
            else { throw Unexpected("it was kept when it was old enough") }
        }
    }

    private func begin(_ status: Int, _ body: String, since: Int64? = nil) -> GoalAnswer.Beginning {
        GoalAnswer.begin(UpstreamAnswer(status: status, body: Array(body.utf8)), since: since)
    }
}
