import Foundation
import Testing

@testable import RelayTrunk

/// Secrets that a person sends by mistake are kept nowhere.
struct RequestSecretTests {
    private let folder = TemporaryFolder()
    private static let secret = "zK4vQpW9mTsecretless77"

    @Test func `contents that may be secrets are not in the list of requests, nor in the log`()
        throws
    {
        let lines = WrittenLines()
        let relay = try RunningRelayProgram(in: folder, log: lines.log)
        func filled(_ text: String) -> String {
            // The sign stands for the secret where no digits follow it.
            text.replacingOccurrences(
                of: "%(?![0-9A-F]{2})", with: RequestSecretTests.secret,
                options: .regularExpression)
        }
        for (method, path, body) in [
            ("PUT", "/connection", "%"), ("PUT", "/connection", #""%""#),
            ("PUT", "/connection", #"{"token":["%"]}"#), ("PUT", "/connection", "auth=%&"),
            ("PUT", "/connection", #"{"authToken":"x %"}"#), ("PUT", "/connection?%", "{"),
            ("PUT", "/connection?%=1", "{}"), ("POST", "/connection", "%"),
            ("POST", "/reminders/services", "ntfy://%"),
            ("POST", "/reminders/services", #"{"url":"nfty://%"}"#),
            ("POST", "/reminders/services", #"{"urls":"ntfy://%"}"#),
            ("POST", "/reminders/services?url=ntfy://%", ""),
            ("DELETE", "/reminders/services/ntfy%3A%2F%2F%", ""),
            ("GET", "/reminders/services/%", ""), ("POST", "/reminders/services/%", "x"),
            ("POST", "/devices", "%"), ("POST", "/qr", ""), ("PUT", "/devices/a", "%"),
            ("POST", "/oauth/callback", "%"),
        ] {
            let answer = try relay.call(method, filled(path), filled(body), token: relay.owner)
            expect(answer.status >= 400, "\(path) \(body): \(answer)")
            let seen = try relay.call("GET", "/requests", token: relay.owner).body
            expect(seen.contains("\"status\":\(answer.status)"), "\(seen)")
            expect(!seen.contains(RequestSecretTests.secret), "\(path) \(body): \(seen)")
        }
        relay.stop()
        expect(!lines.text.contains(RequestSecretTests.secret), "\(lines.text)")
    }

    @Test func `the content of a press that cannot be read is still shown`() throws {
        let relay = try RunningRelayProgram(in: folder)
        try expect(relay.call("POST", "/log/water", #"{"value":}"#).status, is: 400)
        try expect(relay.call("POST", "/events", "[{]").status, is: 400)
        let seen = try relay.call("GET", "/requests", token: relay.owner).body
        expect(seen.contains(#""unreadable":"{\"value\":}""#), "\(seen)")
        expect(seen.contains(#""unreadable":"[{]""#), "\(seen)")
    }
}
