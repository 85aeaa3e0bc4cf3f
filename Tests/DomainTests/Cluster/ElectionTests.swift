import Testing

@testable import BeemedDomain

struct ElectionTests {
    @Test func `one of two relays leads, and the other reads who it is`() throws {
        var one = ClusterRig(name: "one")
        var other = ClusterRig(one.etcd, name: "other")
        one.pass(milliseconds: 1_000)
        other.pass(milliseconds: 1_000)
        expect(one.term?.isValid, is: true)
        expect(other.term == nil)
        expect(other.leader, is: "one")
    }

    /// By a relay that stops, and for a term that the journal has ended.
    @Test(arguments: [true, false])
    func `the next relay leads within a poll after a lease was given back`(
        _ isStopping: Bool
    ) throws {
        var one = ClusterRig(name: "one")
        var other = ClusterRig(one.etcd, name: "other")
        let term = try one.leading()
        other.pass(milliseconds: 1_000)
        if isStopping { one.member.withdraw() } else { term.finish() }
        one.pass(milliseconds: 10)
        let before = one.etcd.now.milliseconds
        _ = other.lead()
        expect(other.term?.isValid, is: true)
        expect(other.etcd.now.milliseconds - before <= 1_000)
    }

    @Test func `a frozen leader sends nothing when it goes on, and another one leads`() throws {
        var one = ClusterRig(name: "one")
        var other = ClusterRig(one.etcd, name: "other")
        let term = try one.leading()
        expect(term.allowsRequests)
        _ = other.lead()
        expect(!term.isValid && !term.allowsRequests)
        expect(other.term?.epoch != term.epoch)
    }

    @Test func `no request begins when the lease is about to end`() throws {
        var rig = ClusterRig()
        let term = try rig.leading()
        let left = term.end.milliseconds - rig.etcd.now.milliseconds
        rig.etcd.pass(milliseconds: left - Int64(LeaseTerm.margin * 1_000) - 1)
        expect(term.allowsRequests)
        rig.etcd.pass(milliseconds: 1)
        expect(term.isValid && !term.allowsRequests)
    }

    @Test func `a renewal counts from when it was sent`() throws {
        var rig = ClusterRig()
        let term = try rig.leading()
        rig.etcd.with { $0.trouble.lostAnswers = 100 }
        let end = term.end
        rig.pass(milliseconds: 4_000)
        expect(term.end, is: end)
        rig.etcd.with { $0.trouble.lostAnswers = 0 }
        rig.pass(milliseconds: 400)
        expect(term.end > end)
        expect(term.end.milliseconds <= rig.etcd.now.milliseconds + 5_000)
    }

    @Test func `a claim without an answer is found out`() throws {
        var rig = ClusterRig()
        _ = rig.member.step()
        rig.etcd.with { $0.trouble.lostAnswers = 100 }
        _ = rig.member.step()
        expect(rig.term == nil)
        rig.etcd.with { $0.trouble.lostAnswers = 0 }
        rig.pass(milliseconds: 500)
        expect(rig.term?.isValid, is: true)
    }

    @Test func `the end of a lease is asked of another member, too`() throws {
        var one = ClusterRig(name: "one")
        _ = try one.leading()
        one.etcd.with { $0.trouble.lostCalls = 100 }
        one.member.withdraw()
        _ = one.member.step()
        one.etcd.with { $0.trouble.lostCalls = 0 }
        one.pass(milliseconds: 1_000)
        let entries = one.etcd.with { $0.entries.count }
        expect(entries, is: 0)
        guard case .withdrawn = one.member.state
        else { throw Unexpected("it has not ended") }
    }

    @Test func `who is cut off forgets the leader after as long as a lease lasts`() throws {
        var one = ClusterRig(name: "one")
        var other = ClusterRig(one.etcd, name: "other")
        _ = try one.leading()
        other.pass(milliseconds: 1_000)
        other.etcd.with { $0.trouble.isCutOff = true }
        other.pass(milliseconds: 4_000)
        expect(other.leader, is: "one")
        expect(other.member.trouble != nil)
        other.pass(milliseconds: 2_500)
        expect(other.leader == nil)
    }

    @Test func `a term that was ended is not renewed`() throws {
        var rig = ClusterRig()
        let term = try rig.leading()
        term.finish()
        term.renew(until: Monotonic(milliseconds: .max))
        expect(!term.isValid)
    }
}
