import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayTrunk

/// All events as a file.
struct ExportTests {
    private let folder = TemporaryFolder()

    private func lines(_ text: String) throws -> [NSDictionary] {
        try text.split(separator: "\n").map { try members(String($0)) }
    }

    private let presses = [
        #"{"goal":"water","value":0.25,"comment":"=1+1, \"a\"\r\n","id":"a","room":"kitchen"}"#,
        #"{"goal":"pushups","value":-1e15,"id":"b","age":3600}"#,
        #"{"goal":"water","value":1e-7,"comment":"🐝","id":"c"}"#,
        #"{"goal":"water","id":"d"}"#,
    ]

    @Test(arguments: ["jsonl", "csv"])
    func `another relay takes the whole file, and says the same`(_ format: String) throws {
        let first = try RunningRelayProgram(in: folder)
        for press in presses { try expect(first.call("POST", "/log", press).status, is: 200) }
        let day = Daystamp(number: Int64(Date().timeIntervalSince1970) / 86_400).adding(days: -2)
        let named = #"{"goal":"water","value":3,"id":"e","daystamp":"\#(day)"}"#
        try expect(first.call("POST", "/log", named).status, is: 200)
        let file = try first.export(format)
        expect(file.head.contains("Content-Disposition: attachment; filename=\"beemed-"))
        expect(file.head.contains("Transfer-Encoding: chunked"))
        let other = TemporaryFolder()
        let second = try RunningRelayProgram(in: other)
        let answer = try second.call(
            "POST", "/import?format=\(format)", file.body, token: second.owner)
        try expect(members(answer.body)["taken"] as? Int, is: 5)
        let names =
            [
                "id", "device", "goal", "value", "comment", "timestamp", "daystamp", "requestid",
            ] + (format == "jsonl" ? ["metadata", "generation"] : [])
        func known(_ relay: RunningRelayProgram) throws -> Set<[String]> {
            Set(
                try lines(try relay.export("jsonl").body).map { event in
                    names.map { event[$0].map { "\($0)" } ?? "" }
                })
        }
        try expect(known(second), is: known(first))
        let again = try members(
            try first.call("POST", "/import?format=\(format)", file.body, token: first.owner).body)
        expect(again["known"] as? Int, is: 5)
        expect(again["taken"] as? Int, is: 0)
    }

    @Test(arguments: ["jsonl", "csv"])
    func `its own relay knows each line, whatever day it is of`(_ format: String) throws {
        let relay = try RunningRelayProgram(in: folder)
        let today = Daystamp(number: Int64(Date().timeIntervalSince1970) / 86_400)
        let press = #"{"goal":"water","id":"e","daystamp":"\#(today.adding(days: 1))"}"#
        try expect(relay.call("POST", "/log", press).status, is: 200)
        let old = "goal,date,value\nwater,1500-01-01,3\nwater,\(today),4\n"
        try expect(relay.call("POST", "/import", old, token: relay.owner).status, is: 200)
        let file = try relay.export(format).body
        let again = try relay.call("POST", "/import?format=\(format)", file, token: relay.owner)
        expect(again.status, is: 200, "\(again.body)")
        try expect(members(again.body)["known"] as? Int, is: 3)
    }

    @Test func `a spreadsheet reads the columns, and runs nothing`() throws {
        let relay = try RunningRelayProgram(in: folder)
        for press in presses { try expect(relay.call("POST", "/log", press).status, is: 200) }
        let text = try relay.export("csv").body
        expect(
            text.hasPrefix(
                "date,value,comment,goal,time,timestamp,device,id,state,requestid,datapoint\r\n"))
        expect(text.contains("\"'=1+1, \"\"a\"\"\r\n\",water,"))
        expect(text.contains(",-1000000000000000,,pushups,"))
    }

    @Test func `an HTTP 1.0 client gets the file to the end of the connection`() throws {
        let relay = try RunningRelayProgram(in: folder)
        defer { relay.stop() }
        try expect(relay.call("POST", "/log", presses[3]).status, is: 200)
        let client = Client(relay.endpoint)
        client.send(
            "GET /export?format=jsonl HTTP/1.0\r\nAuthorization: Bearer \(relay.owner)\r\n\r\n")
        let parts = client.rest().components(separatedBy: "\r\n\r\n")
        expect(!parts[0].contains("chunked"))
        try expect(members(parts[1])["id"] as? String, is: "d")
    }

    @Test func `others are served while a client reads a long export slowly`() throws {
        // The end of the relay waits for the client, which never reads the rest.
        var timeouts = Timeouts.unhurried
        timeouts.drain = 0.1
        let relay = try RunningRelayProgram(in: folder, timeouts: timeouts)
        // More than the system buffers for a client that does not read.
        let comment = String(repeating: "x", count: 4_000)
        for part in 0..<7 {
            let rows = (0..<200).map {
                #"{"goal":"water","id":"\#(part)-\#($0)","comment":"\#(comment)"}"#
            }
            let queue = rows.joined(separator: "\n")
            try expect(relay.call("POST", "/events?answer=short", queue).status, is: 200)
        }
        let slow = Client(relay.endpoint, receiveBytes: 4_096)
        slow.send(
            "GET /export?format=jsonl HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                + "Authorization: Bearer \(relay.owner)\r\n\r\n")
        expect(slow.canRead(withinMilliseconds: Int32(HangLimit.seconds * 1_000)))
        try expect(relay.call("POST", "/log/water").status, is: 200)
        try expect(relay.export("jsonl").body.split(separator: "\n").count, is: 1_401)
        relay.stop()
        expect(!slow.rest().hasSuffix("0\r\n\r\n"))
    }
}
