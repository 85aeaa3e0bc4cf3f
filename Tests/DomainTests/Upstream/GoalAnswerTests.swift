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

    @Test func `reads a goal that is full of nulls`() {
        expect(slugs("[\(Self.fresh)]"), is: ["new"])
    }

    @Test(arguments: [
        (#"[{"slug":"a"},null,{"slug":"b"}]"#, ["a", "b"]),
        (#"[{"slug":"a"},{"title":"no slug"},7,"x",[]]"#, ["a"]),
        (#"[{"slug":"a","title":["not","a","text"],"deadline":"noon"}]"#, ["a"]),
        (#"[{"slug":"a","losedate":1769489999.0,"pledge":"five"},{"slug":"b"}]"#, ["a", "b"]),
        (#"[{"slug":"a/b"},{"slug":"c"},{"slug":5}]"#, ["c"]),
        (#"[{"slug":"a","zeitgeist":{"level":11,"notes":[null,true]}}]"#, ["a"]),
        ("[]", []),
    ])
    func `lets no goal cost the others`(_ body: String, _ expected: [String]) {
        expect(slugs(body), is: expected)
    }

    @Test func `keeps what can be read of a goal`() throws {
        guard
            case .goals(let goals, _, _) = goals(
                #"[{"slug":"a","title":"A","losedate":true,"pledge":5.0,"gunits":{}}]"#)
        else { throw Unexpected("no goals") }
        expect(goals.map(\.title), is: ["A"])
        expect(goals.map(\.pledge), is: [5])
        expect(goals.map(\.losedate), is: [nil])
    }

    @Test(arguments: ["", "{}", "<html>", "[{\"slug\":\"a\"", #"[{"name":"no slugs at all"}]"#])
    func `still knows the user when the goals cannot be read`(_ body: String) throws {
        guard case .userOnly(Self.user, _) = goals(body) else { throw Unexpected(goals(body)) }
    }

    @Test(arguments: [(500, "status 500"), (404, "status 404"), (302, "status 302")])
    func `still knows the user when the goals are not to be had`(_ status: Int, _ why: String)
        throws
    {
        guard case .userOnly(Self.user, why) = goals("[]", status: status)
        else { throw Unexpected(goals("[]", status: status)) }
    }

    @Test func `hears that the token is not taken`() throws {
        guard case .unauthorized = goals("{}", status: 401),
            case .answer(.unauthorized) = begin(401, "{}"),
            case .answer(.unauthorized) = begin(403, #"{"error":"Forbidden"}"#)
        else { throw Unexpected("not heard") }
    }

    @Test(arguments: [
        (302, ""), (301, "<html>"), (401, "<html>"), (403, "<html>"), (403, "Blocked"),
        (404, "<html>"), (200, "<html>hotel"), (200, "\u{FEFF} <html>"),
    ])
    func `takes nobody for signed out whom somebody else answers`(_ status: Int, _ body: String) {
        switch begin(status, body) {
        case .answer(.misdirected): break
        case .answer(.unclear): expect(status, is: 404)
        case let other: Issue.record("\(other)")
        }
    }

    @Test func `still knows the user when only the goals are barred`() throws {
        guard case .userOnly = goals("<html>", status: 403) else { throw Unexpected("not known") }
    }

    private func begin(_ status: Int, _ body: String, since: Int64? = nil) -> GoalAnswer.Beginning {
        GoalAnswer.begin(UpstreamAnswer(status: status, body: Array(body.utf8)), since: since)
    }

    @Test func `does not ask for the goals when nothing has changed`() throws {
        let body = #"{"username":"alice","timezone":"Europe/Berlin","updated_at":7,"goals":["a"]}"#
        guard case .answer(.unchanged(Self.user)) = begin(200, body, since: 7),
            case .askForGoals(Self.user) = begin(200, body, since: 6),
            case .askForGoals(Self.user) = begin(200, body)
        else { throw Unexpected("wrong") }
    }

    @Test func `asks for them when the user does not say`() throws {
        guard case .askForGoals(let user) = begin(200, #"{"username":"bob"}"#, since: 6)
        else { throw Unexpected("wrong") }
        expect(user, is: UpstreamUser(name: "bob"))
    }

    @Test(arguments: [(404, "{}"), (404, ""), (200, "[]"), (200, "{}")])
    func `knows a test server that has no users`(_ status: Int, _ body: String) throws {
        guard case .answer(.noUser) = begin(status, body)
        else { throw Unexpected(begin(status, body)) }
    }

    @Test(arguments: [
        (200, "{\"username\":"), (500, ""), (429, ""),
    ])
    func `knows nothing from anything else`(_ status: Int, _ body: String) throws {
        guard case .answer(.unclear) = begin(status, body)
        else { throw Unexpected(begin(status, body)) }
    }

    @Test(arguments: [(-1, nil), (0, nil), (1, nil), (2, 100), (3_600, 100)] as [(Int64, Int64?)])
    func `a second that another change may follow in is not remembered`(
        _ age: Int64, _ kept: Int64?
    ) throws {
        let body = Array(#"{"username":"alice","updated_at":100}"#.utf8)
        let answer = UpstreamAnswer(status: 200, date: UnixTime(100 + age), body: body)
        guard case .askForGoals(let user) = GoalAnswer.begin(answer, since: 99)
        else { throw Unexpected("the goals are not asked for") }
        expect(user.updatedAt, is: kept)
        guard case .answer(.unchanged) = GoalAnswer.begin(answer, since: 100)
        else { throw Unexpected("it was kept when it was old enough") }
    }
}
