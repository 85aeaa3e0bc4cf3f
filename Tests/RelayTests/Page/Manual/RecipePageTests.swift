import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayPage
@testable import RelayTrunk

/// The recipes as the manual serves them.
struct RecipePageTests {
    private func text(_ name: String, _ host: String, goal: String? = nil) throws -> String {
        let reader = ManualReader(HomeAddress(host: host), goal: goal.flatMap(GoalSlug.init))
        let recipe = try require(Manual.recipe(name, for: reader))
        return String(decoding: recipe.body, as: UTF8.self)
    }

    @Test func `there are all of the folder, and the manual links to each`() throws {
        let folder = URL(fileURLWithPath: SourceTree.root).appendingPathComponent("recipes").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        expect(
            Manual.recipes.keys.sorted(),
            is: files.filter { !["README.md", "monitoring"].contains($0) }.sorted())
        let page = try SourceTree.file("Sources/BeemedRelay/CEmbedded/manual/manual.html").text
        for name in Manual.recipes.keys {
            expect(page.contains("href=\"[[root]]docs/recipes/\(name)\""), "\(name)")
        }
        for match in page.matches(of: /href="\[\[root\]\]docs\/recipes\/([^"]+)"/) {
            expect(Manual.recipes[String(match.1)] != nil, "\(match.1)")
        }
    }

    @Test func `have the address and the goal where they say so`() throws {
        let board = try text("micropython.py", "192.168.1.20:8080", goal: "steps")
        expect(board.contains("HOST = \"192.168.1.20\"\nPORT = 8080\nGOAL = \"steps\"\n"))
        expect(board.contains("TOKEN = \"TOKEN\"") && board.contains("{\"goal\": GOAL,"))
        let button = try text("esp32-arduino.ino", "relay.local:2336")
        expect(button.contains("\"http://relay.local:2336/log/GOAL\""))
        let shell = try text("press.sh", "10.0.0.7:2336")
        expect(shell.contains("RELAY_URL=http://10.0.0.7:2336"))
        expect(shell.contains("$RELAY_TOKEN"))
        for name in Manual.recipes.keys {
            let text = try text(name, "10.0.0.7:2336")
            expect(!text.contains("RELAY:2336"), "\(name)")
        }
    }

    @Test func `the manual has a tag for each reader`() {
        let tags = (0..<40).map { number in
            let reader = ManualReader(HomeAddress(host: "10.0.0.\(number):2336"), goal: nil)
            return Manual.page(for: reader).field("ETag")
        }
        expect(Set(tags).count, is: 40)
    }

    @Test func `are served as text, once, and to everybody`() throws {
        let folder = TemporaryFolder()
        let relay = try RunningRelayProgram(in: folder, account: nil)
        let path = "/docs/recipes/shelly-gen2.js?goal=water"
        let got = try relay.call("GET", path, token: "-")
        expect(got.status == 200 && got.body.contains("http://127.0.0.1/log/water"))
        expect(got.head.contains("\r\nContent-Type: text/plain; charset=utf-8\r\n"))
        let tag = try require(got.head.firstMatch(of: /ETag: ("[0-9a-f]+")/)?.1)
        let again = try relay.call("GET", path, token: "-", fields: ["If-None-Match: \(tag)"])
        expect(again.status, is: 304)
        let other = try relay.call("GET", "/docs/recipes/shelly-gen2.js?goal=tea", token: "-")
        expect(!other.head.contains(tag))
        try expect(relay.call("GET", "/docs/recipes/README.md", token: "-").status, is: 404)
        try expect(relay.call("GET", "/docs/recipes/%2E%2E", token: "-").status, is: 404)
    }
}
