import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayHealth
@testable import RelayTransfer
@testable import RelayTrunk

/// How what is bounded is given to tokens.
struct ShareTests {
    private let start = Monotonic(milliseconds: 1_000)

    private func code(_ path: String) -> String {
        String(path.dropFirst("/login?code=".count))
    }

    @Test func `the oldest link, authorisation or session gives way to one too many`() {
        var links = OneTimeSecrets.links
        let codes = (0..<17).map { _ in code(links.offerLink(at: start)) }
        let areGood = codes.map { links.grant(of: $0, at: start) != nil }
        expect(areGood, is: [false] + Array(repeating: true, count: 16))
        var authorizations = OneTimeSecrets.authorizations
        let states = (0..<9).map { _ in authorizations.offer(at: start, by: .owner) }
        expect(authorizations.grant(of: states[0], at: start) == nil)
        expect(authorizations.grant(of: states[1], at: start), is: .owner)
        var sessions = Sessions()
        let now = UnixTime(1_800_000_000)
        let tokens = (0..<65).map { _ in sessions.begin(at: now).text }
        expect(tokens.map { sessions.holds($0, at: now) }.prefix(2), is: [false, true])
    }

    @Test(arguments: [
        ExportRun.maxExports, HealthQueue.maxSmall, HealthQueue.maxLarge, ImportRun.maxImports,
    ])
    func `one sender leaves slots to others, and all of them together fill no more than there are`(
        _ most: Int
    ) {
        var held: [String] = []
        for sender in ["a", "b", "c", "d", "e"] {
            while Slots.allow(sender, among: most, heldBy: held) { held.append(sender) }
            if sender == "a" { expect(held.count, is: max(1, most / 4)) }
        }
        expect(held.count, is: most)
    }
}
