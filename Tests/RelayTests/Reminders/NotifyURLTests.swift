import BeemedDomain
import Foundation
import Testing

@testable import BeemedRelay
@testable import RelayReminders
@testable import RelayTrunk

/// Addresses of services, and the requests that are made of them.
struct NotifyURLTests {
    @Test func `addresses`() throws {
        // Is read as people write it.
        for (text, target) in [
            ("ntfy://goals-7k2", "https://ntfy.sh/goals-7k2"),
            ("ntfy://ntfy.sh/goals", "https://ntfy.sh/goals"),
            ("ntfy://192.168.1.2:2586/goals", "http://192.168.1.2:2586/goals"),
            ("ntfy+https://ntfy.example.org/goals?actions=1", "https://ntfy.example.org/goals"),
            ("ntfy+http://host/base/goals", "http://host/base/goals"),
            ("gotify+https://push.example.org/?token=A1", "https://push.example.org/message"),
            ("gotify://10.0.0.2/gotify?token=A1", "http://10.0.0.2/gotify/message"),
            ("pushover://user@token", "https://api.pushover.net/1/messages.json"),
            ("https://u:p@ha.local/api/webhook/x?a=1", "https://ha.local/api/webhook/x?a=1"),
        ] as [(String, String)] {
            let url = try require(NotifyURL(text))
            expect(url.target.absoluteString, is: target, "\(text)")
        }
        // Is refused when it cannot work, or would do harm.
        for text in [
            "", "goals", "ntfy://", "ntfy://host.example/", "ntfy://host/to pic", "ntfy://host:80",
            "gotify://host/", "gotify://host/?token=", "pushover://token", "mailto:a@b",
            "ftp://h/x",
            "ntfy://h/" + String(repeating: "t", count: 65),
            // With control characters in what becomes a header field.
            "gotify://h/?token=A%0D%0AX-Other:%201", "gotify://h/?token=A%0AB",
            "gotify+https://h/?token=A%00", "gotify://h/?token=%7F", "gotify://h/?token=%C2%85",
            "ntfy://tk%0D%0AHost:%20other@h/t", "ntfy+http://:tk%0A@h/t",
            "ntfy+http://h/t?token=%0D",
            "http://u%0A:p@h/", "https://h/?token=a%0d%0a%0d%0aGET%20/", "pushover://u%0A@token",
        ] {
            expect(NotifyURL(text) == nil, "\(text)")
        }
        part("has a name of its own that reveals nothing") {
            let texts = [
                "ntfy://goals-a", "ntfy://goals-b", "ntfy://tk@h/goals-a", "gotify://h/?token=a",
                "gotify://h/?token=b", "pushover://u@a", "pushover://u@b", "http://h/a",
                "http://h/b",
            ]
            let urls = texts.compactMap(NotifyURL.init)
            expect(Set(urls.map(\.name)).count, is: texts.count)
            expect(NotifyURL("ntfy://goals-a")?.name, is: urls[0].name)
            expect(urls.allSatisfy { !"\($0.name)".contains("goals") })
            expect(!urls[0].shown.contains("goals-a"))
        }
        // Has the credentials where services take them.
        for (text, value) in [
            ("ntfy+http://tk_1@h/t", "Bearer tk_1"), ("ntfy+http://:tk_2@h/t", "Bearer tk_2"),
            ("ntfy+http://h/t?token=tk_3", "Bearer tk_3"), ("ntfy+http://u:p@h/t", "Basic dTpw"),
        ] as [(String, String)] {
            let request = try require(NotifyURL(text)).request(for: .test)
            expect(request.fields["Authorization"], is: value, "\(text)")
            expect(request.url, is: "http://h/t", "\(text)")
        }
        part("may be given several times, and in every way") {
            let serve = try require(CommandTable.command(["serve"]))
            let given = ["--notify", "ntfy://a", "--notify", "ntfy://b"]
            let settings = try Settings(try Arguments(given, for: serve), environment: [:])
            expect(settings.notify.map(\.text), is: ["ntfy://a", "ntfy://b"])
            let other = try Settings(
                Arguments(), environment: ["BEEMED_NOTIFY": "ntfy://a, gotify://h/?token=x"])
            expect(other.notify.count, is: 2)
            let origin = try require(other.origins.first { $0.name == "notify" })
            expect(origin.value, is: "ntfy ntfy.sh, topic a...; Gotify h")
            do throws(Failure) {
                _ = try Settings(Arguments(), environment: ["BEEMED_NOTIFY": "nfty://tk_1@h/t"])
                Issue.record("a scheme that does not exist was taken")
            } catch {
                expect("\(error)".contains("ntfy+https") && !"\(error)".contains("tk_1"))
            }
        }
    }

    @Test func `requests`() {
        // A header field with control characters makes a request unsendable.
        for value in ["a\r\nX: 1", "a\nb", "\r", "a\0b", "\u{7f}", "\u{85}", "a\tb"] {
            var request = OutgoingRequest("POST", "http://127.0.0.1:9/")
            request.set("Title", "fine")
            expect(!request.isUnsendable, "\(value)")
            request.set("Title", value)
            expect(request.isUnsendable && request.fields == ["Title": "fine"], "\(value)")
            let answer = SystemTransport().perform(request, atMost: 10, during: nil)
            #expect(throws: TransportFailure.unsendable) { try answer.get() }
        }
        part("words of Beeminder in a title are one line and have an end") {
            let url = try require(NotifyURL("ntfy+http://h/t"))
            var reminder = Reminder(
                ReminderTopic(.due, .known("water")), on: Daystamp(number: 20_370))
            reminder.due = "+1\r\nX-Actions: view\r\n\r\nPOST / HTTP/1.1"
            let request = url.request(for: reminder)
            expect(!request.isUnsendable)
            expect(request.fields["Title"], is: "water: +1  X-Actions: view    POST / HTTP/1.1 due")
            reminder.due = String(repeating: "\u{1F41D}", count: 10_000)
            expect(url.request(for: reminder).fields["Title"]?.unicodeScalars.count, is: 250)
            reminder.link = "http://h/\r\nX: 1"
            expect(url.request(for: reminder).isUnsendable)
        }
        part("speaks to Pushover by a form") {
            let url = try require(NotifyURL("pushover://uQiRzpo4@azGDORePK8"))
            var reminder = Reminder(
                ReminderTopic(.lastCall, .known("walk")), on: Daystamp(number: 20_370))
            reminder.minutesLeft = 90
            reminder.due = "+2"
            let request = url.request(for: reminder)
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            expect(
                body,
                is: "token=azGDORePK8&user=uQiRzpo4&title=walk%20derails%20in%201%20h%2030%20min"
                    + "&message=Last%20call%3A%20%2B2%20due.&priority=1")
            expect(url.withdrawal(of: reminder) == nil)
        }
    }

    @Test func `words`() {
        part("a limit is nothing that is due, and presses say why they wait") {
            func text(_ topic: ReminderTopic, _ change: (inout Reminder) -> Void) -> String {
                var reminder = Reminder(topic, on: Daystamp(number: 20_370))
                (reminder.minutesLeft, reminder.due, reminder.waiting) = (90, "+3", 1)
                change(&reminder)
                return "\(reminder.words.title) | \(reminder.words.text)"
            }
            expect(
                text(ReminderTopic(.lastCall, .known("beer"))) { _ in }.contains(
                    "Last call: +3 due. 1 press"))
            for topic in [
                ReminderTopic(.lastCall, .known("beer")), ReminderTopic(.due, .known("beer")),
            ] {
                let words = text(topic) { $0.isLimit = true }
                expect(!words.contains(" due") && words.contains("+3"), "\(words)")
            }
            let stuck = ReminderTopic(.stuck, .known("beer"))
            expect(text(stuck) { _ in }.contains("cannot be reached"))
            expect(text(stuck) { $0.mustSignIn = true }.contains("refuses the relay's token"))
            let missing = text(ReminderTopic(.refused, .known("beer"))) {
                $0.why = "Beeminder has no such goal"
            }
            expect(missing.contains("1 press waits") && missing.contains("no such goal. Restore"))
            let refused = text(ReminderTopic(.refused, .known("beer"))) {
                ($0.why, $0.waiting) = ("no", 0)
            }
            expect(refused.contains("It does not count: no."))
            expect(text(stuck) { $0.pledge = 270 }.contains("$270 at stake"))
        }
        part("a pledge beyond all dollars is none") {
            for (pledge, known) in [("270", 270), ("1e19", nil), ("-5", nil)] as [(String, Double?)]
            {
                let json = #"{"slug":"walk","pledge":\#(pledge)}"#
                try expect(JSONDecoder().decode(Goal.self, from: Data(json.utf8)).pledge, is: known)
            }
        }
        // Later is before the deadline when the last call has come.
        for (minutes, hours) in [(120, 1), (90, 0.75), (19, nil)] as [(Int64, Double?)] {
            var reminder = Reminder(
                ReminderTopic(.lastCall, .known("walk")), on: Daystamp(number: 20_370))
            reminder.minutesLeft = minutes
            expect(reminder.hoursOfLater, is: hours, "\(minutes)")
            expect(
                Reminder(ReminderTopic(.due, .known("walk")), on: Daystamp(number: 20_370))
                    .hoursOfLater,
                is: 2)
        }
    }

    @Test func `tokens of buttons`() {
        part("the code of a token is that of RFC 4231") {
            let code = MessageCode.sha256(
                Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
            expect(code.prefix(4), is: [0x5B, 0xDC, 0xC1, 0x46])
            let long = MessageCode.sha256(
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                key: Array(repeating: 0xAA, count: 131))
            expect(long.prefix(4), is: [0x60, 0xE4, 0x31, 0x59])
        }
        part("a token is good on its day and the next, for its goal") {
            let key = Array("k".utf8)
            let token = ButtonToken(goal: .known("walk"), day: Daystamp(number: 20_370))
            let text = token.text(key: key)
            expect(ButtonToken(text, key: key)?.goal, is: .known("walk"))
            expect(ButtonToken(text, key: Array("other".utf8)) == nil)
            expect(ButtonToken(text.replacing("walk", with: "talk"), key: key) == nil)
            for (day, isGood) in [(20_369, false), (20_370, true), (20_371, true), (20_372, false)]
            {
                expect(token.isGood(at: UnixTime(Int64(day) * 86_400 + 5)), is: isGood)
            }
        }
    }
}
