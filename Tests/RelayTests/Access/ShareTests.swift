import BeemedDomain
import Foundation
import RelayHTTP
import Testing

@testable import RelayHealth
@testable import RelayTransfer
@testable import RelayTrunk

/// No token takes what is bounded from the others.
struct ShareTests {
    private let start = Monotonic(milliseconds: 1_000)

    private func code(_ path: String) -> String {
        String(path.dropFirst("/login?code=".count))
    }

    @Test(arguments: [1, 16, 40])
    func `links of one token leave those of others alone`(_ count: Int) {
        var links = OneTimeSecrets.links
        let own = code(links.offerLink(at: start))
        let manager = Grant(device: "manager")
        let others = (0..<count).map { _ in code(links.offerLink(at: start, by: manager)) }
        expect(links.grant(of: own, at: start), is: .owner)
        expect(links.grant(of: others[count - 1], at: start), is: manager)
        // Its own oldest gave way.
        if count > 1 { expect((links.grant(of: others[0], at: start) != nil) == (count < 16)) }
    }

    @Test func `links by browsers of one token count for that token`() {
        var links = OneTimeSecrets.links
        let own = code(links.offerLink(at: start))
        for number in 0..<40 {
            _ = links.offerLink(at: start, by: Grant(device: "manager", session: "\(number)"))
        }
        expect(links.grant(of: own, at: start), is: .owner)
    }

    @Test func `sessions and authorisations of one token leave those of others alone`() {
        var sessions = Sessions()
        let now = UnixTime(1_800_000_000)
        let own = sessions.begin(at: now).text
        let others = (0..<100).map { _ in sessions.begin(at: now, device: "manager").text }
        expect(sessions.holds(own, at: now) && sessions.holds(others[99], at: now))
        expect(!sessions.holds(others[0], at: now))
        var authorizations = OneTimeSecrets.authorizations
        let state = authorizations.offer(at: start, by: .owner)
        for _ in 0..<20 { _ = authorizations.offer(at: start, by: Grant(device: "manager")) }
        expect(authorizations.grant(of: state, at: start) != nil)
    }

    /// The lists are full of this holder's requests, as many as it may have.
    private func places(_ total: Int, of holders: [String]) -> [String] {
        var held: [String] = []
        for holder in holders {
            while Shares(places: total, heldBy: held).allows(holder) { held.append(holder) }
        }
        return held
    }

    @Test(arguments: [
        ExportRun.most, HealthQueue.maxSmall, HealthQueue.maxLarge, SettingsChanges.most,
        Transfers.maxImports,
    ])
    func `one holder leaves places, and so do many`(_ most: Int) {
        var held = self.places(most, of: ["a"])
        expect((1...max(1, most / 4)).contains(held.count))
        for name in ["b", "c", "d"].prefix(most - 1) {
            expect(Shares(places: most, heldBy: held).allows(name), "\(name) of \(most)")
            held.append(name)
        }
    }

    @Test func `a holder that needs a place takes it from who has most, or from itself`() {
        let shares = Shares(places: 6, heldBy: ["a", "b", "b", "c", "b", "c"])
        expect(["a", "b", "c", "d"].map(shares.yielding(to:)), is: ["b", "b", "b", "b"])
        let equal = Shares(places: 4, heldBy: ["a", "b", "a", "b"])
        expect(equal.yielding(to: "a") == "a" && equal.yielding(to: "b") == "b")
        expect(Shares<String>(places: 4, heldBy: []).yielding(to: "a") == nil)
    }
}
