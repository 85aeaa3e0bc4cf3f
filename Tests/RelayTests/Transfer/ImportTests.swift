import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTransfer
@testable import RelayTrunk

/// Datapoints from a file: all of them or none, each once.
struct ImportTests {
    private let folder = TemporaryFolder()

    private func send(
        _ relay: RunningRelayProgram, _ body: String, _ query: String = ""
    ) throws -> (status: Int, body: NSDictionary) {
        let answer = try relay.call("POST", "/import\(query)", body, token: relay.owner)
        return (answer.status, try members(answer.body))
    }

    private func state(_ relay: RunningRelayProgram) throws -> String? {
        let now = try relay.call("GET", "/import", token: relay.owner)
        return try members(now.body)["state"] as? String
    }

    private func rows(_ count: Int) -> String {
        (0..<count).map { "2024-01-02,\($0),\n" }.joined()
    }

    private func events(_ relay: RunningRelayProgram) throws -> [NSDictionary] {
        let list = try members(try relay.call("GET", "/events?limit=500", token: relay.owner).body)
        return try require(list["events"] as? [NSDictionary])
    }

    @Test func `the same file adds nothing, equal lines of it are two datapoints`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let table = "2024-01-02,1,\n2024-01-02,1,\n2024-01-03 08:00Z,1,x\n"
        try expect(send(relay, table, "?goal=water").body["taken"] as? Int, is: 3)
        let again = try send(relay, table, "?goal=water").body
        expect(again["taken"] as? Int, is: 0)
        expect(again["known"] as? Int, is: 3)
        let longer = try send(relay, table + "2024-01-02,1,\n", "?goal=water").body
        expect(longer["taken"] as? Int, is: 1)
        // The ids are the same in every version.
        let ids = ["0f4f689d344c126cb4d189889e6ec6b9", "b4741e58da97df4689b1caf08010f9d3"]
        let known = Set(try events(relay).compactMap { $0["requestid"] as? String })
        expect(known.count == 4 && known.isSuperset(of: ids.map { "import-000000.\($0)" }))
    }

    @Test func `a local time is taken once the user's time zone is known`() async throws {
        let table = "2024-01-03 08:00,1,x\n2024-01-03 08:00+01:00,1,y\n"
        let whole = "date,time,timestamp,value\n2024-01-03,08:00,1704265200,3\n"
        do {
            let relay = try RunningRelayProgram(in: folder)
            let answer = try send(relay, table, "?goal=water")
            expect(answer.status, is: 422)
            let errors = try require(answer.body["errors"] as? [NSDictionary])
            expect(errors.map { $0["line"] as? Int }, is: [1])
            expect((errors.first?["detail"] as? String)?.contains("time zone") == true)
            let counted = try send(relay, "^ 1\n", "?goal=water")
            expect(counted.status == 422 && "\(counted.body)".contains("time zone"))
            // The timestamp says the moment, as in an export.
            try expect(send(relay, whole, "?goal=water").body["taken"] as? Int, is: 1)
        }
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        try expect(send(relay, table, "?goal=water").body["taken"] as? Int, is: 2)
    }

    @Test func `nothing is taken when one line is wrong, and all wrong lines are named`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let table =
            "goal,date,value\nwater,2024-01-02,1\nwater,2024-01-02,much\nwater,soon,1\n"
            + "wa ter,2024-01-02,1\nwater,2099-01-01,1\nwater,2024-01-02,1,2,3\nwater,,1\n"
            + "water,2024-01-02,\n\"open"
        let answer = try send(relay, table)
        expect(answer.status, is: 422)
        expect(answer.body["code"] as? String, is: "unusable_file")
        let errors = try require(answer.body["errors"] as? [NSDictionary])
        expect(errors.map { $0["line"] as? Int }, is: [3, 4, 5, 6, 7, 8, 9, 10])
        try expect(events(relay).isEmpty)
    }

    @Test func `a dry run says the same and takes nothing`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let table = "goal,date,value\nwater,2024-01-02,1\nwater,2024-01-02,2\n"
        let dry = try send(relay, table, "?dryRun=true").body
        expect(dry["dryRun"] as? Bool, is: true)
        expect(dry["taken"] as? Int, is: 2)
        try expect(events(relay).isEmpty)
        try expect(send(relay, "value\n1\n", "?dryRun=true").status, is: 422)
        try expect(send(relay, table, "?dry_run=off").body["taken"] as? Int, is: 2)
        try expect(events(relay).count, is: 2)
    }

    @Test func `what a device has logged is pointed out, once for each event`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let press = #"{"goal":"water","value":2,"comment":"x","id":"a","age":60}"#
        try expect(relay.call("POST", "/log", press).status, is: 200)
        let event = try require(try events(relay).first)
        let time = try require(event["timestamp"] as? Int)
        let table = "goal,timestamp,value,comment\nwater,\(time),2,x\nwater,\(time),2,x\n"
        let dry = try send(relay, table, "?dryRun=1").body
        expect(dry["duplicates"] as? Int, is: 1)
        expect(dry["taken"] as? Int, is: 1)
        let line = try require((dry["notTaken"] as? [NSDictionary])?.first)
        expect(line["line"] as? Int, is: 2)
        expect(line["why"] as? String, is: "duplicate")
        expect(line["requestid"] as? String, is: event["requestid"] as? String)
        try expect(send(relay, table, "?duplicates=take").body["taken"] as? Int, is: 2)
    }

    @Test func `a full disk ends an import, and the same file adds the rest`() async {
        await #expect(processExitsWith: .success) {
            Signals.prepare()
            let folder = TemporaryFolder()
            let relay = try RunningRelayProgram(in: folder)
            let rows = (0..<3_000).map { "2024-01-02,\($0),\n" }.joined()
            let send = { try relay.call("POST", "/import?goal=water", rows, token: relay.owner) }
            try require(FileSizeLimit.set(to: 200_000))
            let first = try send()
            expect(first.status, is: 507, "\(first.body)")
            let part = try require(
                first.body.firstMatch(of: /"(\d+) of 3000 events were taken/)?.1)
            let taken = try require(Int(part))
            expect((1..<3_000).contains(taken))
            try require(FileSizeLimit.set(to: 1 << 30))
            let second = try members(try send().body)
            expect(second["taken"] as? Int, is: 3_000 - taken, "\(second)")
            expect(second["known"] as? Int, is: taken)
        }
    }

    @Test func `only who may manage imports and exports, and one page cannot for another`() throws {
        let relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("POST", "/import", "x", token: relay.token).status, is: 403)
        try expect(relay.call("GET", "/export", token: relay.token).status, is: 403)
        try expect(relay.call("GET", "/export", token: "-").status, is: 401)
        try expect(relay.call("POST", "/import", "x", token: "-").status, is: 401)
        try expect(relay.call("GET", "/export?format=xml", token: relay.owner).status, is: 400)
        try expect(
            relay.call("POST", "/devices", #"{"name":"import"}"#, token: relay.owner).status,
            is: 409)
    }

    @Test func `a file that is too long is refused whole`() throws {
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        let rows = String(repeating: "2024-01-02,1\n", count: ImportRun.maxEvents + 1)
        let answer = try send(relay, rows, "?goal=water")
        expect(answer.status, is: 422)
        try expect(events(relay).isEmpty)
        let fields = ["Content-Length: \(ImportRun.maxBytes + 1)"]
        let long = try relay.call("POST", "/import", token: relay.owner, fields: fields)
        expect(long.status, is: 413)
    }

    /// The reading of a file at noon of 2026-11-18 in the zone of the calendar.
    private func reading(_ file: String) throws -> ImportReading {
        let context = ImportContext(
            goal: "water", calendar: try Berlin.calendar(), now: UnixTime(1_794_999_600))
        return ImportReading(Array(file.utf8), nil, context)
    }

    @Test(arguments: [
        (
            "\u{FEFF}goal;date;value;comment;mood\r\n"
                + "water;2019-03-02;0,25;\"a; \"\"glass\"\"\";x\r\npushups;02.03.2019;-3;'=1;x\r\n",
            ["water 20190302 0.25 a; \"glass\"", "pushups 20190302 -3.0 =1"]
        ),
        ("date\tvalue\tcomment\n18.11.2024\t0,25\ta, b\n", ["water 20241118 0.25 a, b"]),
        ("2024-11-19\t1,5\tmilk, cold\n", ["water 20241119 1.5 milk, cold"]),
        (
            "\u{FEFF}\n2024 11 20 1 \"with milk\"\r\n20241121 -2.5\n"
                + "2024-11-22 +3 \"a \"b\", c; d\"\n2024 11 23 300\n",
            [
                "water 20241120 1.0 with milk", "water 20241121 -2.5 ",
                "water 20241122 3.0 a \"b\", c; d", "water 20241123 300.0 ",
            ]
        ),
        ("^ 1", ["water 20261118 1.0 "]), ("^^ 1 \"x\"", ["water 20261117 1.0 x"]),
        ("18 1", ["water 20261118 1.0 "]), ("17 1", ["water 20261117 1.0 "]),
        ("11 15 2", ["water 20261115 2.0 "]), ("19 1", ["water 20261119 1.0 "]),
        (
            "{\"goal\":\"water\",\"value\":\"2\",\"daystamp\":\"20240102\",\"note\":\"x\"}\n",
            ["water 20240102 2.0 x"]
        ),
    ])
    func `a file says these datapoints`(_ file: String, _ expected: [String]) throws {
        let reading = try reading(file)
        expect(reading.faults.isEmpty)
        let rows = reading.rows.map { row in
            let day: String = if case .on(let day)? = row.press.day { "\(day)" } else { "" }
            return "\(row.press.goal) \(day) \(row.press.value) \(row.press.comment)"
        }
        expect(rows, is: expected)
        expect(reading.ignored, is: (file.contains("mood") ? ["mood"] : []))
    }

    @Test func `a line of Beeminder's that is not understood whole is named`() throws {
        let lines =
            "2024 11 20 1 \"ok\"\n2024 13 20 1\n2024 11 20 1 with milk\n2024 11 20 1 \"open\n"
            + "2024 11 20 1 \"x\" y\n2024 11 20 x\n20\n2024 11 20 1 \"z\"\n"
        let reading = try reading(lines)
        expect(reading.faults.map(\.line), is: [2, 3, 4, 5, 6, 7])
        expect(reading.rows.map(\.line), is: [1, 8])
    }

    @Test func `the relay's own export has no unknown columns, and another program's has`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let body = #"{"comment":"a;=1\t＋2","id":"-x"}"#
        try expect(relay.call("POST", "/log/-a", body).status, is: 200)
        let csv = try relay.export("csv").body
        expect(csv.contains("\"a;'=1\t'＋2\",'-a,") && csv.contains(",'-x,"), "\(csv)")
        let answer = try send(relay, csv)
        expect(answer.status == 200 && answer.body["ignored"] == nil, "\(answer.body)")
        expect(answer.body["known"] as? Int, is: 1, "\(answer.body)")
        let foreign = "date,value,id,mood\n2024-01-02,1,7,x\n"
        let other = try send(relay, foreign, "?goal=water")
        expect(Set(other.body["ignored"] as? [String] ?? []), is: ["id", "mood"])
    }

    @Test(arguments: [",\n", "\n", "{", " ", "\"\n"])
    func `a file is read off the loop, also one of white space`(_ row: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        let release = relay.hold { $0.transfers.work.add($1) }
        let body = "date,value\n" + String(repeating: row, count: (64 << 10) / row.utf8.count)
        let client = relay.begin("POST /import?goal=water", body, token: relay.owner)
        while try state(relay) != "reading" {}
        try expect(relay.call("POST", "/log/water").status, is: 200)
        try expect(state(relay), is: "reading")
        release()
        expect(client.answer()?.hasPrefix("HTTP/1.1 "), is: true)
    }

    @Test func `an import ends with its device, and the same file adds the rest`() throws {
        let relay = try RunningRelayProgram(in: folder)
        let token = try relay.add(#"{"name":"desk","can":["manage"]}"#)
        let client = relay.begin("POST /import?goal=water", rows(2_000), token: token)
        while try relay.queued() == 0 {}
        try expect(relay.call("DELETE", "/devices/desk", token: relay.owner).status, is: 200)
        let answer = try require(client.answer())
        expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
        let part = try require(answer.firstMatch(of: /"(\d+) of 2000 events were taken/)?.1)
        let taken = try require(Int(part))
        try expect(relay.queued() == taken && (1..<2_000).contains(taken))
        let rest = try send(relay, rows(2_000), "?goal=water").body
        expect(rest["taken"] as? Int == 2_000 - taken && rest["known"] as? Int == taken)
    }

    @Test func `an import ends with its client, and the same file adds the rest`() throws {
        let relay = try RunningRelayProgram(in: folder)
        do {
            let client = relay.begin(
                "POST /import?goal=water", rows(2_000), token: relay.owner)
            while try relay.queued() == 0 {}
            _ = client
        }
        while try state(relay) != "idle" {}
        let rest = try send(relay, rows(2_000), "?goal=water").body
        expect((rest["taken"] as? Int ?? 0) + (rest["known"] as? Int ?? 0) == 2_000, "\(rest)")
        expect(rest["known"] as? Int ?? 0 > 0)
        try expect(relay.queued(), is: 2_000)
    }

    @Test func `mistakes in reading and in what is read are told together`() async throws {
        let relay = try RunningRelayProgram.settled(in: folder, RunningBeeminder())
        let table =
            "goal,date,value,state,requestid\nwater,soon,1,,\nwatr,2024-01-02,1,,\n"
            + "gone,2024-01-02,1,undone,\nwater,2024-01-02,1,,x-0000zz.1\n"
            + "water,2024-01-02,1,,x-0000zz.1\n"
        for query in ["?dryRun=1", ""] {
            let answer = try send(relay, table, query)
            let errors = try require(answer.body["errors"] as? [NSDictionary])
            expect(errors.map { $0["line"] as? Int }, is: [2, 3, 6], "\(errors)")
            expect((errors[1]["detail"] as? String)?.contains("'watr' is not yours") == true)
            expect((errors[2]["detail"] as? String)?.contains("twice") == true)
        }
        try expect(events(relay).isEmpty)
    }

    @Test func `what only the history knows is exported, and pointed out`() throws {
        try GoldenFolder.copy("1.0", to: folder)
        let record =
            #"{"t":"put","q":3,"src":"owner","gen":"4ns6mm","id":"old","goal":"water","value":7,"#
            + #""at":1795347537,"from":"receipt","rx":{"wall":1795347537,"mono":1,"boot":"b"}}"#
        try GoldenFolder.replace(2, of: "\(folder.path)/history/00000001.jnl") { _ in record }
        let relay = try RunningRelayProgram(in: folder)
        let export = try relay.export("jsonl").body
        expect(export.contains(#""id":"old""#), "\(export)")
        let table = "goal,timestamp,value\nwater,1795347537,7\nwater,1795347537,8\n"
        let answer = try send(relay, table).body
        expect(answer["duplicates"] as? Int == 1 && answer["taken"] as? Int == 1, "\(answer)")
        let line = try require((answer["notTaken"] as? [NSDictionary])?.first)
        expect(line["requestid"] as? String, is: "owner-4ns6mm.old")
    }
}
