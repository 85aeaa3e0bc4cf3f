import BeemedDomain
import Testing

@testable import RelayTrunk

/// Contents that were not made for the relay, and texts of which only a part is understood.
struct ForeignContentTests {
    private func press(_ body: String, path: String? = "water") throws -> Press {
        let fields = try BodyReader.fields(Array(body.utf8))
        return try Press(fields, path: path, from: .known("esp32"), PresetBook())
    }

    private func code(_ body: String) -> ErrorCode? {
        #expect(throws: Problem.self) { try press(body) }?.code
    }

    // MARK: Text

    @Test func `texts`() throws {
        // Hours and minutes are hours, as Beeminder takes them.
        for (text, value) in [
            ("1:30", 1.5), ("+0:15", 0.25), ("-1:30", -1.5), ("100:00", 100), ("0:00:36", 0.01),
            (#"1:30 "reading""#, 1.5), ("1:30 reading", 1.5), (#""1:30""#, 1.5),
            ("value=1:30", 1.5),
            (#"{"value":"1:30"}"#, 1.5), (#"26 1:30 "reading""#, 1.5), ("^ 1:30", 1.5),
            (#"2026 11 26 1:30:00 "x""#, 1.5), ("2026-11-26 0:06", 0.1),
            (#"{"urtext":"^ 1:30"}"#, 1.5),
        ] as [(String, Double)] {
            try expect(press(text).value, is: value, "\(text)")
        }
        // A text that only resembles hours is no value.
        for text in ["1:3", "1:60", "1:30:60", ":30", "1:", "1::30", "1:30:00:00", "1:3a", "x:30"] {
            expect(code(text), is: .unusableValue, "\(text)")
        }
        // A text that is not read whole is no press.
        for text in [
            #"26 1,5 "reading""#, #"26 1h30 "reading""#, #"26 1.30h "reading""#, "26 1:3 reading",
            #"26 ~5 "reading""#, #"26 €5 "reading""#, #"26 ½ "reading""#, #"26 five "reading""#,
            #"5 "reading" 26"#, #"5 "reading"#, #"26 5 "reading"#, #"26 5 "reading" x"#,
            "1:30 2", #"1:30 2 "x""#, "5 2nd cup", "5 ²", #"2026 11 26 08:00 3 "x""#,
            #"5 km "run""#, "26 +-3", "26 (3)",
        ] {
            expect(code(text) == .malformed || code(text) == .unusableValue, "\(text)")
        }
        // A comment is all that follows the number.
        for (text, comment) in [
            ("5 km", "km"), ("1 with 2 sugars", "with 2 sugars"), ("1 - tea", "- tea"),
            ("1 ☕", "☕"),
            (#"1 "say "hi" now""#, #"say "hi" now"#), ("1 the 5\" pipe", "the 5\" pipe"),
            (#"1 """#, ""), ("1 Über", "Über"),
        ] as [(String, String)] {
            let press = try press(text)
            expect((press.value, press.comment) == (text.hasPrefix("5") ? 5 : 1, comment))
        }
    }

    // MARK: General names

    @Test func `general names beside other names`() throws {
        // Beside other names a number is no value, and a slug no goal.
        for body in [
            #"{"action":"opened","number":42,"issue":{"id":7},"comment":{"id":8}}"#,
            #"{"count":3,"device":"x"}"#, "number=42&action=opened", #"{"count":null,"x":1}"#,
            #"{"number":{"a":1},"x":1}"#, #"{"slug":"my-post","title":"x"}"#,
            #"{"date":{"y":2026},"x":1}"#, #"{"id":{"n":1},"x":1}"#,
        ] {
            let press = try press(body)
            expect((press.value, press.goal.description, press.comment) == (1, "water", ""))
            expect(press.id == nil && press.day == nil, "\(body)")
        }
        // Beside other names an amount is refused, since either reading may be wrong.
        for body in [
            #"{"amount":2000,"currency":"eur"}"#, "qty=2&sku=x", #"{"val":3,"sensor":{}}"#,
        ] {
            expect(code(body), is: .unusableValue, "\(body)")
            let named = body.hasPrefix("{") ? #"{"value":5,"# + body.dropFirst() : "value=5&" + body
            try expect(press(named).value, is: 5, "\(body)")
        }
        // Where all names are ours each of them is the value.
        for name in ["count", "number", "amount", "qty", "val"] {
            let body = #"{"\#(name)":4,"goal":"water","id":"7","comment":"x","ts":1795700172}"#
            let press = try press(body)
            expect(press.value == 4 && press.id?.description == "7", "\(name)")
        }
        // A number that evidently is the amount is not 1.
        for body in [
            #"{"goal":"water","ml":250}"#, #"{"ml":"250","comment":"glass"}"#, "vlaue=3&comment=x",
            #"{"goal":"water","vaule":3}"#, #"{"goal":"water","minutes":30,"id":"x"}"#,
            #"{"steps":9000,"date":"2026-11-26"}"#, #"{"goal":"water","Water":2,"rssi":-60}"#,
            #"{"count":3,"device":"esp","comment":"x"}"#, #"{"goal":"water","qty":2,"battery":97}"#,
            #"{"ml":"250 ml"}"#, "ml=250+ml", #"{"duration":"1:30","comment":"run"}"#,
        ] {
            expect(code(body), is: .unusableValue, "\(body)")
            let named = body.hasPrefix("{") ? #"{"value":5,"# + body.dropFirst() : "value=5&" + body
            try expect(press(named).value, is: 5, "\(body)")
        }
    }

    @Test func `ids beside other names`() throws {
        part("beside other names an id is that of the whole content") {
            let body = #"{"id":"home","event":"enter","at":"17:00"}"#
            let id = try require(try press(body).id)
            try expect(press(body).id, is: id)
            expect(id.description != "home")
            for other in [
                #"{"id":"home","event":"enter","at":"17:01"}"#,
                #"{"id":"home","event":"leave","at":"17:00"}"#,
                #"{"id":"home","event":{"a":[1]},"at":"17:00"}"#,
                #"{"id":"home","event":{"a":[2]},"at":"17:00"}"#,
                #"{"id":"Zone / Büro","event":"enter"}"#, "id=home&event=enter",
            ] {
                let one = try require(try press(other).id)
                try expect(one != id && press(other).id == one, "\(other)")
            }
            try expect(
                press(#"{"ID":4711,"name":"iSpindel","angle":25.1}"#).id?.description != "4711")
            try expect(press(#"{"id":"","x":1}"#).id == nil)
            let pushes = try [1_795_700_172, 1_795_700_173].map { time in
                try press(
                    #"{"component":"input:0","id":0,"event":"single_push","ts":\#(time)}"#)
            }
            expect(pushes[0].id != pushes[1].id, "each push of a Shelly is a press")
            for more in [#""date":"2026-11-27T08:00:00Z""#, #""timestamp":5"#, #""comment":null"#] {
                try expect(press(#"{"id":"17","x":1,\#(more)}"#).id?.description != "17")
            }
        }
        // An id that is ours stays as it is.
        for (body, id) in [
            (#"{"id":"home","requestid":"r1","x":1}"#, "r1"), (#"{"requestid":"r1","x":1}"#, "r1"),
            (#"{"id":"17","age":5,"x":1}"#, "17"), (#"{"id":"17","value":1,"goal":"water"}"#, "17"),
            (#"{"value":1,"id":"17","rssi":-60}"#, "17"), ("id=17&value=1&battery=99", "17"),
            (#"{"id":"17","goal":"water","rssi":-60}"#, "17"), ("x=1&id=17&comment=tea", "17"),
            (#"{"id":"17","daystamp":"20261127","x":{}}"#, "17"),
            (#"{"id":"17","timestamp":1795700172,"x":1}"#, "17"),
        ] as [(String, String)] {
            try expect(press(body).id?.description, is: id, "\(body)")
        }
        // An id of a variable that is not set is no id.
        for id in ["None", "none", "unknown", "unavailable", "null", "undefined", "NaN"] {
            for body in [
                #"{"value":1,"id":"\#(id)"}"#, "requestid=\(id)", #"{"rid":"\#(id)","x":1}"#,
            ] {
                expect(code(body), is: .unusableID, "\(id)")
            }
        }
    }

    @Test func `health data and events`() {
        // Health data is no press, and is told where it belongs.
        for body in [
            #"{"timestamp":"2026-11-26T10:00:00Z","app_version":"1.9.20","steps":[{"count":4000,"#
                + #""start_time":"2026-11-26T08:00:00Z","end_time":"2026-11-26T09:00:00Z"}]}"#,
            #"{"dailies":[{"summaryId":"x1","calendarDate":"2026-11-26","steps":4210}]}"#,
            #"{"metric":"steps","value":5000,"date":"2026-11-26","source":"iPhone"}"#,
        ] {
            let problem = #expect(throws: Problem.self) { try press(body) }
            expect(problem?.code == .unusableValue && problem?.detail.contains("/health") == true)
        }
        part("an alert that names a metric, and a meeting with a start, are events") {
            for body in [
                #"{"metric":"cpu","status":"firing"}"#,
                #"{"event":"invitee.created","payload":{"start_time":"2026-11-26T08:00:00Z","x":1}}"#,
            ] {
                try expect(press(body).value, is: 1)
            }
        }
    }

    // MARK: Beeminder's own forms

    @Test func `Beeminder's own forms`() throws {
        // A datapoint in Beeminder's form is a press.
        for body in [
            #"{"urtext":"2026 11 18 3 \"x\""}"#, #"urtext=2026+11+18+3+%22x%22"#,
            #"{"datapoints":[{"daystamp":"20261118","value":3,"comment":"x"}]}"#,
            #"datapoints=[{"daystamp":"20261118","value":3,"comment":"x"}]"#,
            #"{"Datapoints":[{"urtext":"2026 11 18 3 \"x\""}]}"#,
            #"{"events":[{"daystamp":"20261118","value":3,"comment":"x"}]}"#,
        ] {
            let press = try press(body)
            expect((press.value, press.comment) == (3, "x"), "\(body)")
            expect(press.day, is: .on(Daystamp(number: 20_775)), "\(body)")
        }
        part("the id and the goal of a datapoint in a list count") {
            let body = #"{"datapoints":[{"goal":"tea","value":2,"requestid":"a-1"}]}"#
            let press = try press(body, path: nil)
            expect((press.goal.description, press.id?.description) == ("tea", "a-1"))
        }
        // Content of which nothing is understood is no press.
        for body in [
            #"{"urtext":""}"#, #"{"urtext":null}"#, #"{"urtext":["^ 1"]}"#, #"{"urtext":"18 3 x"}"#,
            #"{"datapoints":[]}"#, #"{"datapoints":{}}"#, #"{"datapoints":null}"#, "datapoints=x",
            #"{"datapoints":[1]}"#, #"{"datapoints":[{"value":1},{"value":2}]}"#, "datapoints=[{}",
            #"{"events":[{"value":1},{"value":2}],"value":1}"#, "[]", #"[{"value":1}]"#, "=5",
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n1\r\n--b--\r\n",
        ] {
            let code = code(body)
            expect(code == .malformed || code == .unusableValue, "\(body)")
        }
        part("several datapoints are sent to the place that answers for each") {
            let problem = #expect(throws: Problem.self) {
                try press(#"{"datapoints":[{"value":1},{"value":2}]}"#)
            }
            expect(problem?.detail.contains("/events"), is: true)
        }
    }

    // MARK: Cut and broken

    /// A body of two parts, of which the first is a file.
    private func upload(_ name: String, file: String = "v.txt") -> String {
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"\(file)\"\r\n\r\n2\r\n"
            + "--b\r\nContent-Disposition: form-data; name=requestid\r\n\r\n17\r\n--b--\r\n"
    }

    @Test func `content that is cut or broken`() throws {
        part("a field that is sent as a file is not left out") {
            for name in ["value", "Value", "amount", "goal", "timestamp", "date", "comment"] {
                for file in ["v.txt", ""] { expect(code(upload(name, file: file)), is: .malformed) }
            }
            let press = try press(upload("photo"))
            expect(press.value == 1 && press.id?.description == "17" && press.metadata.isEmpty)
        }
        // A multipart body that was cut is told so.
        for body in [
            "--b\r\nContent-Disposition: form-data; name=value\r\n\r\n2\r\n--b",
            "--b\r\nContent-Disposition: form-data; name=value\r\n\r\n2\r\n",
            "--b\r\nContent-Disp", "--b\nContent-Disposition: form-data; name=value\n\n2\n--b--\n",
        ] {
            #expect(throws: Problem.cutMultipart) { try BodyReader.fields(Array(body.utf8)) }
        }
        // JSON that is not UTF-8 is told so.
        for body in [
            [UInt8](#"{"comment":"caf"#.utf8) + [0xE9] + [UInt8](#""}"#.utf8),
            [0x5B, 0xFF, 0x5D], [0x7B, 0xC3, 0x28, 0x7D],
        ] as [[UInt8]] {
            #expect(throws: Problem.notText) { try BodyReader.fields(body) }
            #expect(throws: Problem.self) {
                var events = try EventReader([0x5B] + body + [0x5D], atMost: 1)
                _ = try events.nextFields()
            }
        }
        for body in [
            #"{"dry_run":true,"events":[{"goal":"water"}]}"#,
            #"{"events":[{"goal":"water"}],"strict":1}"#,
        ] {
            #expect(throws: Problem.self, "options of all events stand in the query") {
                _ = try EventReader(Array(body.utf8), atMost: 1)
            }
        }
        part("a form whose escapes are not UTF-8 is told so") {
            for text in ["comment=K%E4se", "a%FF=1"] {
                #expect(throws: Problem.escapedOtherwise) {
                    try BodyReader.fields(Array(text.utf8))
                }
                #expect(throws: Problem.escapedOtherwise) { try BodyReader.fields(ofQuery: text) }
            }
            try expect(press("comment=K%C3%A4se&x=5%").comment, is: "Käse")
        }
        // Line feeds and zeros behind a body are ignored.
        for end in ["\0", "\n", "\r\n\0", "\0\0", "\n\0"] {
            for body in [#"{"value":2}"#, "2", "value=2", #"2 "x""#] {
                try expect(press(body + end).value, is: 2, "\(end)")
            }
            // Zeros alone are the end of no text.
            let isBlank = !end.utf8.contains(0)
            expect((try? BodyReader.fields(Array(end.utf8)))?.form == (isBlank ? .empty : nil))
        }
        // A text in UTF-16 is told so.
        for text in ["value=3", "30", #"{"value":3}"#] {
            for order in [0, 1] {
                let body = text.utf8.flatMap { order == 0 ? [$0, 0] : [0, $0] as [UInt8] }
                #expect(throws: Problem.self) { try BodyReader.fields(body) }
            }
        }
    }

    // MARK: Days and times

    /// 2026-11-27 03:30 UTC.
    private static let moment = UnixTime(1_795_750_200)

    @Test func `days and times`() throws {
        // A day with a time and an offset is a moment.
        for text in [
            "2026-11-27T03:30:00Z", "2026-11-26T22:30:00-05:00", "2026-11-26T22:30-0500",
            "2026-11-27 04:30:00 +0100", "2026-11-27T04:30:00.123+01", "2026-11-27T03:30:00z",
            "2026-11-27T09:00:00+05:30",
        ] {
            for name in ["date", "daystamp", "Date"] {
                let body = #"{"\#(name)":"\#(text)"}"#
                try expect(press(body).day, is: .at(ForeignContentTests.moment), "\(text)")
                let form = "\(name)=\(text)"  // An offset's plus is a blank in a form.
                try expect(press(form).day, is: .at(ForeignContentTests.moment), "\(text)")
            }
            for name in ["timestamp", "ts"] {
                for body in [#"{"\#(name)":"\#(text)"}"#, "\(name)=\(text)"] {
                    try expect(press(body).time, is: .timestamp(ForeignContentTests.moment))
                }
            }
            let both = try press(#"{"date":"\#(text)","timestamp":1795750200}"#)
            expect(both.day == nil && both.time == .timestamp(ForeignContentTests.moment))
        }
        // A moment that cannot be read is refused, and is no day.
        for text in [
            "2026-11-27T03:30:00+25:00", "2026-11-27T03:30:00+01:75", "2026-11-27T03:30 New_York",
            "2026-11-27Tnoon", "2026-11-27T24:30:00Z", "2026-11-27T03:30:00Z[Europe/Berlin]",
        ] {
            for name in ["date", "timestamp"] {
                expect(code(#"{"\#(name)":"\#(text)"}"#), is: .unusableTime, "\(text)")
            }
        }
        // A timestamp without an offset is refused, and a day is as it is written.
        for text in ["2026-11-27T03:30:00", "2026-11-27 03:30", "2026-11-27"] {
            let problem = #expect(throws: Problem.self) { try press(#"{"timestamp":"\#(text)"}"#) }
            expect(problem?.code, is: .unusableTime, "\(text)")
            expect(problem?.detail.contains("'daystamp'"), is: (text.utf8.count == 10), "\(text)")
            try expect(press(#"{"date":"\#(text)"}"#).day, is: .on(Daystamp(number: 20_784)))
        }
        part("a text may begin with a moment") {
            let press = try press(#"2026-11-27T03:30:00Z 3 "x""#)
            expect(press.day == .at(ForeignContentTests.moment) && press.value == 3)
        }
    }
}
