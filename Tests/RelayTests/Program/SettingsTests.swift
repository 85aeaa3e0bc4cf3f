import BeemedDomain
import RelayHTTP
import Testing

@testable import BeemedRelay

@Suite struct SettingsTests {
    private func settings(
        _ line: String..., environment: [String: String] = [:]
    ) throws -> Settings {
        let arguments = try Arguments(line, valued: Settings.options, plain: Settings.flags)
        return try Settings(arguments, environment: environment)
    }

    @Test func `have defaults`() throws {
        let settings = try settings(environment: ["HOME": "/home/alice"])
        #expect(settings.listen == Endpoint("0.0.0.0:2336"))
        #expect(settings.data.hasPrefix("/home/alice/"))
        #expect(settings.beeminderURL == "https://www.beeminder.com/api/v1/")
        #expect(settings.requestsPerSecond == 50)
    }

    @Test func `take the option before the environment`() throws {
        let environment = ["BEEMED_DATA": "/env", "BEEMED_LISTEN": "127.0.0.1:1"]
        let settings = try settings("--data", "/option", environment: environment)
        #expect(settings.data == "/option")
        #expect(settings.listen == Endpoint("127.0.0.1:1"))
    }

    @Test func `report every mistake at once`() {
        let failure = #expect(throws: Failure.self) {
            try settings(
                "--listen", "nowhere", "--rate-limit=fast", "--max-connections", "0")
        }
        #expect(failure?.code == .usage)
        for word in ["--listen", "--rate-limit", "--max-connections"] {
            #expect(failure?.message.contains(word) == true)
        }
    }

    @Test func `know no other options`() {
        let failure = #expect(throws: Failure.self) { try settings("--colour") }
        #expect(failure?.code == .usage)
        #expect(throws: Failure.self) { try settings("--data") }
    }

    @Test(arguments: [
        ("http://127.0.0.1:9", true), ("http://127.0.0.1:9/", true),
        ("https://www.beeminder.com/api/v1/", true), ("http://127.0.0.1:9/other", true),
        ("beeminder", false), ("ftp://host/", false), ("", false),
    ])
    func `take a base for Beeminder`(_ base: String, _ isTaken: Bool) {
        let client = try? BeeminderClient(base: base, account: nil, wallClock: { .init(0) })
        #expect((client != nil) == isTaken)
    }
}
