import BeemedDomain
import Testing

@testable import RelayTrunk

struct PressReadingTests {
    private let device = Device.known("esp32")

    private func press(_ change: (inout PressFields) -> Void) throws(Problem) -> Press {
        var fields = PressFields()
        change(&fields)
        return try Press(fields, path: "water", from: device, PresetBook())
    }

    @Test func `numbers`() throws {
        // Takes decimal numbers.
        for (text, value) in [
            ("1", 1.0), ("+1", 1), (" 1", 1), ("-2", -2), ("0.25", 0.25), (".5", 0.5),
            ("1e3", 1000),
            ("42.0", 42), ("0", 0),
        ] as [(String, Double)] {
            try expect(press { $0[.value] = text }.value, is: value, "\(text)")
        }
        // Short numbers are read without the library, and must come to the same.
        part("every decimal is the number that it says") {
            var chance = Randomness(seed: 11)
            for _ in 0..<20_000 {
                var text = ["", "", "-", "+"].randomElement(using: &chance) ?? ""
                for _ in 0..<Int.random(in: 0...17, using: &chance) {
                    text +=
                        "01234567890123456789.".randomElement(using: &chance).map(String.init) ?? ""
                }
                expect(DecimalText.value(text)?.bitPattern, is: Double(text)?.bitPattern, "\(text)")
            }
        }
        // Refuses what is no number.
        for text in [
            "", " ", "abc", "1,5", "0x10", "nan", "inf", "1e999", "--1", "1 2", "+", "١",
        ] {
            let problem = #expect(throws: Problem.self) { try press { $0[.value] = text } }
            expect(problem?.status, is: 422, "\(text)")
            expect(problem?.code, is: .unusableValue, "\(text)")
        }
        part("counts one when no value is given") {
            try expect(press { _ in }.value, is: 1)
        }
    }

    @Test func `fields`() {
        part("reads times in whole seconds") {
            try expect(
                press { $0[.timestamp] = "1760000000.7" }.time,
                is: .timestamp(UnixTime(1_760_000_000)))
            try expect(press { $0[.age] = "90" }.time, is: .age(seconds: 90))
            try expect(press { _ in }.time, is: .now)
        }
        // Refuses what it cannot read or keep.
        for (field, texts, code) in [
            (.timestamp, ["yesterday", "1e30", "2026-01-01"], .unusableTime),
            (.id, ["a b", "käse", String(repeating: "x", count: 65), "a/b"], .unusableID),
            (.comment, [String(repeating: "x", count: Press.commentBytes + 1)], .unusableComment),
        ] as [(PressFields.Field, [String], ErrorCode)] {
            for text in texts {
                let problem = #expect(throws: Problem.self) { try press { $0[field] = text } }
                expect(problem?.code, is: code, "\(text)")
            }
        }
        part("keeps metadata within its bounds") {
            let press = try press { fields in
                fields.metadata = ["a": "1", "b": String(repeating: "x", count: 3_000), "c": "3"]
            }
            expect(press.metadata, is: ["a": "1"])
        }
    }

    @Test func `goals`() {
        part("wants path and body to agree") {
            try expect(press { $0[.goal] = "water" }.goal, is: GoalSlug("water"))
            let problem = #expect(throws: Problem.self) { try press { $0[.goal] = "pushups" } }
            expect(problem?.code, is: .unusableGoal)
        }
        part("takes the only goal of a device when none is named") {
            let button = Device.known("esp32", goals: ["pushups"])
            let press = try Press(PressFields(), path: nil, from: button, PresetBook())
            expect(press.goal, is: GoalSlug("pushups"))
            let problem = #expect(throws: Problem.self) {
                try Press(PressFields(), path: nil, from: device, PresetBook())
            }
            expect(problem?.code, is: .unusableGoal)
        }
        part("lets a device log to its own goals only") {
            let button = Device.known("esp32", goals: ["pushups"])
            let problem = #expect(throws: Problem.self) {
                try Press(PressFields(), path: "water", from: button, PresetBook())
            }
            expect(problem?.status, is: 403)
        }
    }
}
