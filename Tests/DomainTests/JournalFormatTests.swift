import Testing

@testable import BeemedDomain

/// The lines of format 1.0, byte for byte: files of released versions must be readable for ever.
struct JournalFormatTests {
    static let event = Event.make(
        "9f3c-17", device: "esp32-kitchen", value: 0.25, comment: "with \"milk\"\n", from: .age,
        metadata: ["battery": "2.9"])

    static let generated = Event.make(
        "17", device: "kitchen", generation: "x7k2p1", goal: "water")
    static let total = Event.make(
        "walk-20251009", device: "health", value: 8_123, from: .device,
        day: Daystamp(number: 20_370), rule: .known("walk"))
    static let dated = Event.make(from: .device, day: Daystamp(number: 20_370))

    static let opening = Opening(
        store: "5704e", segment: 7, firstNumber: 1_201, oldest: 5, at: UnixTime(1_760_000_000))

    /// A state with every member that an event's can have.
    static let state: RecordedState = {
        var state = RecordedState()
        state.apply(.timed(of: 17, at: UnixTime(1_760_000_009)), 18)
        state.apply(.evaluated(of: 17, isGuarded: false, by: .oncePerDay), 19)
        state.apply(.revise(of: 17, value: 2.5), 20)
        state.apply(.retry(of: 17, goal: .known("water"), leaving: .known("pushups")), 21)
        state.apply(.done(of: 17, how: .updated, datapoint: "69769b", through: 20), 22)
        state.apply(.leftOut(of: 17), 23)
        state.apply(.undo(of: 17), 24)
        return state
    }()
    static let carried = Recovered.Entry(
        number: 17, event: generated, recorded: state,
        statedAt: 1_206)
    static let doubtful = Record(
        1_204, .refused(of: 1_199, status: 422, why: "no number", isInDoubt: true))

    static let refusal: Recovered.Entry = {
        var state = RecordedState()
        state.apply(.refused(of: 17, status: 422, why: "no number", isInDoubt: true), 18)
        return Recovered.Entry(number: 17, event: generated, recorded: state, statedAt: 1_206)
    }()

    static let refusedTotal: Recovered.Entry = {
        var state = RecordedState()
        state.apply(.done(of: 17, how: .created, datapoint: "69769b", through: 17), 18)
        state.apply(.revise(of: 17, value: 8_200), 19)
        state.apply(.refused(of: 17, status: 422, why: "no number"), 20)
        return Recovered.Entry(number: 17, event: total, recorded: state, statedAt: 1_206)
    }()

    static let alice = FolderUser("alice")
    static let bob = FolderUser(name: "bob", id: "5f5d", since: 1_205)

    struct Case {
        var line: String
        var meaning: Line

        init(_ line: String, _ meaning: Line) {
            (self.line, self.meaning) = (line, meaning)
        }
    }

    private static let cases: [Case] = [
        // Open.
        Case(
            #"{"t":"open","v":2,"store":"5704e","seg":7,"q":1201,"oldest":5,"#
                + #""at":1760000000}"# + "\tc4e7dd16\n",
            .open(opening)
        ),
        // Put.
        Case(
            #"{"t":"put","q":1202,"src":"esp32-kitchen","id":"9f3c-17","goal":"pushups","#
                + #""value":0.25,"comment":"with \"milk\"\u000a","at":1760000000,"from":"age","#
                + #""rx":{"wall":1760000000,"mono":5000,"boot":"b00t"},"meta":{"battery":"2.9"}}"#
                + "\tc4c120f8\n",
            .record(Record(1_202, .put(event)))
        ),
        // Put with a generation.
        Case(
            #"{"t":"put","q":1202,"src":"kitchen","gen":"x7k2p1","id":"17","#
                + #""goal":"water","value":1,"at":1760000000,"from":"receipt","#
                + #""rx":{"wall":1760000000,"mono":5000,"boot":"b00t"}}"#
                + "\t90bc6369\n",
            .record(Record(1_202, .put(generated)))
        ),
        // Put for a day.
        Case(
            #"{"t":"put","q":1202,"src":"button","id":"1","goal":"pushups","value":1,"#
                + #""at":1760000000,"from":"device","#
                + #""rx":{"wall":1760000000,"mono":5000,"boot":"b00t"},"day":"20251009"}"#
                + "\t702fe49c\n",
            .record(Record(1_202, .put(dated)))
        ),
        // Put of a day's total.
        Case(
            #"{"t":"put","q":1202,"src":"health","id":"walk-20251009","#
                + #""goal":"pushups","value":8123,"at":1760000000,"from":"device","#
                + #""rx":{"wall":1760000000,"mono":5000,"boot":"b00t"},"day":"20251009","#
                + #""rule":"walk"}"#
                + "\t9e432d27\n",
            .record(Record(1_202, .put(total)))
        ),
        // Revise.
        Case(
            #"{"t":"revise","q":1203,"of":1202,"value":8200.5}"# + "\td4236f39\n",
            .record(Record(1_203, .revise(of: 1_202, value: 8_200.5)))
        ),
        // Done.
        Case(
            #"{"t":"done","q":1203,"of":1202,"how":"created","datapoint":"69769b"}"#
                + "\t72ca8b0e\n",
            .record(Record(1_203, .done(of: 1_202, how: .created, datapoint: "69769b")))
        ),
        // Done without a datapoint.
        Case(
            #"{"t":"done","q":1203,"of":1202,"how":"duplicate"}"# + "\td1b491af\n",
            .record(Record(1_203, .done(of: 1_202, how: .duplicate, datapoint: nil)))
        ),
        // Refused.
        Case(
            #"{"t":"refused","q":1204,"of":1199,"status":422,"why":"no number"}"#
                + "\t03e1e10e\n",
            .record(Record(1_204, .refused(of: 1_199, status: 422, why: "no number")))
        ),
        // Refused in doubt.
        Case(
            #"{"t":"refused","q":1204,"of":1199,"status":422,"why":"no number","doubt":true}"#
                + "\tc4bdbd01\n",
            .record(doubtful)
        ),
        // Judged.
        Case(
            #"{"t":"judged","q":1204,"of":1199,"guarded":true}"#
                + "\tf53361ad\n",
            .record(Record(1_204, .evaluated(of: 1_199, isGuarded: true)))
        ),
        // Judged by a guard.
        Case(
            #"{"t":"judged","q":1204,"of":1199,"guarded":true,"by":600}"# + "\tb63076da\n",
            .record(
                Record(1_204, .evaluated(of: 1_199, isGuarded: true, by: .minimumInterval(600))))
        ),
        // User.
        Case(
            #"{"t":"user","q":1205,"user":"alice"}"#
                + "\t3ead179d\n",
            .record(Record(1_205, .user(alice)))
        ),
        // User who has taken the folder over.
        Case(
            #"{"t":"user","q":1205,"user":"bob","userid":"5f5d","since":1205}"#
                + "\tf9e72778\n",
            .record(Record(1_205, .user(bob)))
        ),
        // Mark.
        Case(
            #"{"t":"mark","q":1205}"# + "\t2b83872a\n",
            .record(Record(1_205, .mark))
        ),
        // Carried.
        Case(
            #"{"t":"carried","q":1206,"of":17,"src":"kitchen","gen":"x7k2p1","id":"17""#
                + #","goal":"water","value":1,"at":1760000000,"from":"receipt","rx":{"wall":"#
                + #"1760000000,"mono":5000,"boot":"b00t"},"state":{"is":"delivered","how":"u"#
                + #"pdated","datapoint":"69769b","unwanted":true,"last":24,"delivered":22,"g"#
                + #"oal":"water","moved":21,"leaving":{"pushups":"21"},"at":1760000009,"va"#
                + #"lue":2.5,"revised":20,"left-out":23,"shown":20,"judged":true,"b"#
                + #"y":0}}"#
                + "\t0637ce12\n",
            .record(Record(1_206, .carried(carried)))
        ),
        // Carried, refused.
        Case(
            #"{"t":"carried","q":1206,"of":17,"src":"kitchen","gen":"x7k2p1","id":"17""#
                + #","goal":"water","value":1,"at":1760000000,"from":"receipt","rx":{"wall":"#
                + #"1760000000,"mono":5000,"boot":"b00t"},"state":{"is":"refused","status":4"#
                + #"22,"why":"no number","last":18,"doubt":18}}"#
                + "\t2a7b11d9\n",
            .record(Record(1_206, .carried(refusal)))
        ),
        // Carried, a day's newer value refused.
        Case(
            #"{"t":"carried","q":1206,"of":17,"src":"health","id":"walk-20251009","#
                + #""goal":"pushups","value":8123,"at":1760000000,"from":"device","rx":{"#
                + #""wall":1760000000,"mono":5000,"boot":"b00t"},"day":"20251009","rule":"walk","#
                + #""state":{"is":"refused","status":422,"why":"no number","how":"created","#
                + #""datapoint":"69769b","last":20,"delivered":18,"value":8200,"revised":19,"#
                + #""shown":17}}"#
                + "\t9f82e708\n",
            .record(Record(1_206, .carried(refusedTotal)))
        ),
        // Close.
        Case(
            #"{"t":"close","q":1991}"# + "\t8d67c174\n",
            .close(next: 1_991)
        ),
    ]

    @Test func `a line is written and read so`() {
        for row in Self.cases {
            var lines = JSONWriter()
            switch row.meaning {
            case .open(let opening): lines.writeOpen(opening)
            case .record(let record): lines.write(record)
            case .close(let next): lines.writeClose(next: next)
            case .otherVersion, .unknown: Issue.record("nothing writes \(row.meaning)")
            }
            expect(String(decoding: lines.bytes, as: UTF8.self), is: row.line)
            let json = Array(row.line.utf8.prefix { $0 != 0x09 })
            expect(Line(json: json[...]), is: row.meaning)
        }
    }

    private static let refused: [String] = [
        "", "{", "[]", "null",
        "{}", #"{"t":1}"#, #"{"t":"put"}x"#,
        #"{"t":"put","q":1}"#, #"{"t":"mark","q":0}"#,
        #"{"t":"mark","q":-1}"#, #"{"t":"mark","q":1.5}"#,
        #"{"t":"mark","q":18446744073709551615}"#,
        #"{"t":"mark","q":9007199254740992}"#,
        #"{"t":"mark","q":"1"}"#, #"{"t":"mark","q":+1}"#,
        #"{"t":"mark","q":01}"#, #"{"t":"mark","q":1,}"#,
        #"{"t":"done","q":2,"of":1,"how":"perhaps"}"#,
        #"{"t":"done","q":2,"how":"created"}"#,
        #"{"t":"refused","q":2,"of":1}"#,
        #"{"t":"close","q":-1}"#,
        #"{"t":"open","v":2,"store":"s","seg":1,"q":1}"#,
        #"{"t":"carried","q":2,"of":1,"state":{}}"#,
        #"{"t":"carried","q":2,"of":1,"src":"b","id":"1","goal":"g","value":1,"at":1,"#
            + #""from":"age","rx":{"wall":1,"mono":1,"boot":"b"},"state":{"is":"sung"}}"#,
        #"{"t":"carried","q":2,"of":2,"src":"b","id":"1","goal":"g","value":1,"at":1,"#
            + #""from":"age","rx":{"wall":1,"mono":1,"boot":"b"},"state":{}}"#,
        #"{"t":"carried","q":2,"of":1,"src":"b","id":"1","goal":"g","value":1,"at":1,"#
            + #""from":"age","rx":{"wall":1,"mono":1,"boot":"b"},"#
            + #""state":{"at":9223372036854775807}}"#,
        #"{"t":"x","q":1,"a":"\#u{0}"}"#,
        #"{"t":"x","q":1,"a":"\ud800"}"#,
        #"{"t":"x","q":1,"a":"\x"}"#, #"{"t":"x","q":1,"a":nul}"#,
        #"{"t":"x","a":"# + String(repeating: "[", count: 10_000)
            + String(repeating: "]", count: 10_000) + "}",
        #"{"t":"put","q":1,"src":"b","id":"1","goal":"g","value":1e999,"at":1,"#
            + #""from":"age","rx":{"wall":1,"mono":1,"boot":"b"}}"#,
        #"{"t":"put","q":1,"src":"b","gen":"x7k2p","id":"1","goal":"g","value":1,"#
            + #""at":1,"from":"age","rx":{"wall":1,"mono":1,"boot":"b"}}"#,
        #"{"t":"put","q":1,"src":"a.b","id":"1","goal":"g","value":1,"at":1,"#
            + #""from":"age","rx":{"wall":1,"mono":1,"boot":"b"}}"#,
    ]

    @Test func `what is no line, or of another version`() {
        // Texts that are no line.
        for json in Self.refused {
            expect(Line(json: Array(json.utf8)[...]) == nil, "\(json.prefix(60))")
        }
        part("is no line when the text is not UTF-8") {
            let json = Array(#"{"t":"x","q":1,"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
            expect(Line(json: json[...]) == nil)
        }
        // Lines of another version.
        for (version, json) in [
            (3, #"{"t":"open","v":3,"store":"s","seg":1,"q":1,"oldest":1,"at":1}"#),
            (1, #"{"t":"open","v":1,"store":"s","seg":1,"q":1,"base":true}"#),
            (3, #"{"t":"open","v":3,"store":"s","seg":-1,"q":1,"id":"a b","how":"sung"}"#),
        ] as [(Int, String)] {
            expect(Line(json: Array(json.utf8)[...]), is: .otherVersion(version), "\(version)")
        }
        part("keeps what a later version adds to a line out of the way") {
            let json = Array(
                #"{"t":"mark","q":7,"new":{"deep":[1,-2.5e3,true,null,"\u00e9"]}}"#.utf8)
            expect(Line(json: json[...]), is: .record(Record(7, .mark)))
        }
        part("knows a type of a later version by its number only") {
            for members in [#""of":3"#, #""of":0,"goal":"a b","how":"sung","n":-1"#] {
                let json = Array(#"{"t":"sung","q":7,\#(members)}"#.utf8)
                expect(Line(json: json[...]), is: .unknown(number: 7))
            }
            expect(Line(json: Array(#"{"t":"sung","q":0}"#.utf8)[...]) == nil)
            expect(Line(json: Array(#"{"t":"undo","q":7,"of":0}"#.utf8)[...]) == nil)
        }
        // Compares whole names, as they are written: no relay escapes one.
        for (json, line) in [
            (#"{"\u0074":"mark","q":7}"#, nil),
            (#"{"t":"m\u0061rk","q":7}"#, Line.record(Record(7, .mark))),
            (
                #"{"t":"mark","q":7,"no name has as many letters":1,"ä":2}"#,
                .record(Record(7, .mark))
            ),
            (#"{"t":"no type has as many letters","q":7}"#, .unknown(number: 7)),
            (#"{"t":"mark\u0000","q":7}"#, .unknown(number: 7)),
            (#"{"t":"märk","q":7}"#, .unknown(number: 7)),
            (#"{"t\u0000":"mark","q":7}"#, nil),
        ] as [(String, Line?)] {
            expect(Line(json: Array(json.utf8)[...]), is: line, "\(json)")
        }
    }

    @Test func `what is written reads back`() {
        part("reads back every text that it writes") {
            let texts = [
                "", "\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}", "äöü € 😀 👩‍👩‍👧",
                String(repeating: "x", count: 4_096), "\u{2028}\u{FEFF}",
            ]
            for text in texts {
                var lines = JSONWriter()
                let record = Record(1, .put(.make(comment: text, metadata: ["k\(text)": text])))
                lines.write(record)
                let json = lines.bytes.prefix { $0 != 0x09 }
                expect(Line(json: json), is: .record(record))
            }
        }
        part("reads back every value that it writes") {
            let values = [
                0, -0.0, 1, -1, 0.1, 1e300, -5e-300, 9_007_199_254_740_992, 123.456, .pi,
                .greatestFiniteMagnitude, -1e-7,
            ]
            for value in values {
                var lines = JSONWriter()
                let record = Record(1, .put(.make(value: value)))
                lines.write(record)
                expect(Line(json: lines.bytes.prefix { $0 != 0x09 }), is: .record(record))
            }
        }
        part("reads surrogate pairs and every escape") {
            var reader = JSONReader(Array(#""\ud83d\ude00\b\f\n\r\t\/\\\"\u0041""#.utf8)[...])
            try expect(reader.string(), is: "😀\u{8}\u{c}\n\r\t/\\\"A")
        }
        part("never writes a line longer than a reader takes") {
            let worst = Event.make(
                String(repeating: "i", count: 64), device: String(repeating: "d", count: 32),
                goal: String(repeating: "g", count: 64), value: -.greatestFiniteMagnitude,
                comment: String(repeating: "\u{0}", count: Press.commentBytes),
                metadata: ["k": String(repeating: "\u{0}", count: Press.metadataBytes)])
            var lines = JSONWriter()
            lines.write(Record(9_007_199_254_740_991, .put(worst)))
            expect(lines.bytes.count < Line.longest - 100)
        }
        // Reads a whole number as far as it goes.
        for (text, number) in [
            ("0", 0), ("7,", 7), ("-5}", -5), ("120]", 120), (" 3 ,", 3),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("01", 0), ("00,", 0), ("+1", nil), ("1.5", nil), ("1e3", nil), ("", nil), ("-", nil),
            ("9223372036854775808", nil), ("12x", 12), ("\"1\"", nil),
        ] as [(String, Int64?)] {
            var reader = JSONReader(Array(text.utf8)[...])
            expect((try? reader.integer()) == number, "\(text)")
        }
    }
}
