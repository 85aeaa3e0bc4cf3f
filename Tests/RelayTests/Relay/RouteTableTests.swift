import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// The route that a path names, however the path is written.
struct RouteTableTests {
    @Test(arguments: [
        ("/context", "/conte%78t"), ("/context", "/context/"), ("/context", "/%63%6F%6e%74ext/"),
        ("/log/water", "/%6Cog/water"), ("/log/water", "/log/w%61ter/"), ("/log", "/log/"),
        ("/log/water/trigger", "/log/water/%74rigger"), ("/docs", "/docs/"),
        ("/log/water/trigger", "/log/water/trigger/"), ("/events/a%2Fb", "/ev%65nts/a%2Fb/"),
        ("/context/stream", "/context/str%65am"), ("/log/a-b_c.d~e", "/log/a%2Db%5Fc%2Ed%7Ee"),
        ("/log/water", "//log/water"), ("/log", "//log"), ("/events", "///%65vents/"),
    ])
    func `unreserved letters may be encoded, and slashes stand at both ends`(
        _ usual: String, _ other: String
    ) throws {
        let match = try require(RouteTable.relay.match(usual))
        let same = try require(RouteTable.relay.match(other))
        expect("\(same.path.pattern)", is: "\(match.path.pattern)")
        expect(same.name, is: match.name)
    }

    @Test(arguments: [
        "//", "/context//", "/context%2F", "%2Fcontext", "/log/", "/log//water", "/conte%7",
        "/conte%zz", "/log/water/trigger//", "/context%2fstream", "/%2E/context",
        "/devices//rotate", "/devices/a/b/c", "/docs/recipes", "",
    ])
    func `nothing else is forgiven`(_ path: String) {
        let match = RouteTable.relay.match(path)
        expect(match.map { "\($0.path.pattern)" }, is: (path == "/log/" ? "/log" : nil))
    }

    @Test func `a pattern is a path like any other`() throws {
        let match = try require(RouteTable.relay.match("/log/{goal}"))
        expect(match.name, is: "{goal}")
        expect(RouteTable.relay.match("/%7Bname%7D/{goal}") == nil)
    }

    @Test func `every answer forbids to guess what it is, and ends with a newline`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        let rows: [(method: String, path: String, body: String, token: String)] = [
            ("GET", "/context", "", relay.token), ("GET", "/context?format=text", "", relay.token),
            ("POST", "/log/water", "+1", relay.token), ("POST", "/log/water", "?", relay.token),
            ("POST", "/log/water?dry_run=1", "+1", relay.token),
            ("POST", "/events", #"[{"goal":"water"}]"#, relay.token),
            ("GET", "/events", "", relay.token), ("GET", "/requests", "", relay.owner),
            ("GET", "/devices", "", relay.owner), ("GET", "/connection", "", relay.owner),
            ("GET", "/healthz", "", "-"), ("GET", "/metrics", "", relay.token),
            ("GET", "/", "", "-"), ("GET", "/docs", "", "-"), ("GET", "/openapi.yaml", "", "-"),
            ("GET", "/docs/manual.js", "", "-"), ("GET", "/nowhere", "", "-"),
            ("GET", "/context", "", "-"), ("GET", "/log/water/trigger", "", "-"),
            ("GET", "bad", "", "-"), ("POST", "/flush", "", relay.token),
        ]
        for row in rows {
            let client = Client(relay.endpoint)
            let token = row.token == "-" ? "" : "X-Relay-Token: \(row.token)\r\n"
            client.send(
                "\(row.method) \(row.path) HTTP/1.1\r\nHost: a.local\r\nConnection: close\r\n"
                    + "\(token)Content-Length: \(row.body.utf8.count)\r\n\r\n\(row.body)")
            let answer = client.rest()
            let fields = answer.components(separatedBy: "\r\nX-Content-Type-Options: nosniff\r\n")
            expect(fields.count, is: 2, "\(row): \(answer.prefix(300))")
            expect(answer.hasSuffix("\n") && !answer.hasSuffix("\n\n"), "\(row)")
            let parts = answer.components(separatedBy: "\r\n\r\n")
            let content = parts.dropFirst().joined(separator: "\r\n\r\n")
            expect(parts[0].contains("Content-Length: \(content.utf8.count)"), "\(row)")
        }
    }

    @Test func `several fields of conditions are one list`() throws {
        let relay = try RunningRelayProgram(in: TemporaryFolder())
        for path in ["/context", "/docs"] {
            let first = try relay.call("GET", path)
            let tag = try require(headField("ETag", of: first.head))
            let fields = [
                ["If-None-Match: \"x\"", "If-None-Match: \(tag)"],
                ["If-None-Match: \(tag)", "If-None-Match: \"x\""],
                ["If-None-Match: \"x\", \"y\"", "If-None-Match: W/\(tag), \"z\""],
            ]
            for fields in fields {
                try expect(relay.call("GET", path, fields: fields).status, is: 304, "\(fields)")
            }
            let others = ["If-None-Match: \"x\"", "If-None-Match: \"y\""]
            try expect(relay.call("GET", path, fields: others).status, is: 200)
        }
    }
}
