import Testing

@testable import BeemedDomain

@Suite struct KeyedLogTests {
    private let live = LiveSize(events: 100, bytes: 0)

    private func put(_ number: UInt64, _ id: String) -> Record {
        Record(SequenceNumber(number), .put(.make(id)))
    }

    @Test func `the next leader finds what the last one has confirmed`() throws {
        var one = ClusterRig(name: "one")
        var (journal, found, receipt) = try one.open()
        #expect(found.entries.isEmpty)
        #expect(receipt.through == 0)
        receipt = try journal.commitAndMark([put(1, "a"), put(2, "b")], live: live)
        #expect(receipt.through == 2)
        try journal.close()
        one.member.withdraw()
        one.pass(milliseconds: 10)
        var other = ClusterRig(one.etcd, name: "other")
        let (next, recovered, again) = try other.open()
        #expect(recovered.ids == ["a", "b"])
        #expect(again.through == 2)
        #expect(next.store == "5704e")
        #expect(!recovered.recoveryReport.isAlarm)
    }

    @Test func `a deposed leader writes nothing, and says that the outcome is unknown`() throws {
        var one = ClusterRig(name: "one")
        var (journal, _, _) = try one.open()
        _ = try journal.commitAndMark([put(1, "a")], live: live)
        // The first relay is frozen meanwhile.
        var other = ClusterRig(one.etcd, name: "other")
        var (next, _, _) = try other.open()
        // Even if it believes in its lease.
        let fault = failure { () throws(CommitFailure) in
            _ = try journal.commitAndMark([put(2, "lost")], live: live)
        }
        #expect(fault == .unknown(.deposed))
        _ = try next.commit([put(2, "kept")], live: live)
        #expect(one.etcd.with { $0.entries.count } == 6)
    }

    @Test func `a leader that trusts its clock too long is fenced by the comparison`() throws {
        var one = ClusterRig(name: "one")
        let term = try one.leading()
        let trusting = LeaseTerm(
            epoch: term.epoch, lease: term.lease, expiry: Monotonic(milliseconds: .max),
            clock: { Monotonic(milliseconds: 0) })
        var (journal, _, _) = try Journal.open(
            on: one.site(trusting), store: "5704e", time: UnixTime(0), limits: .plain)
        var other = ClusterRig(one.etcd, name: "other")
        _ = try other.open()
        let fault = failure { () throws(CommitFailure) in
            _ = try journal.commitAndMark([put(1, "lost")], live: live)
        }
        #expect(fault == .unknown(.deposed))
    }

    @Test func `a batch whose answer was lost is confirmed when it is found`() throws {
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open()
        rig.etcd.with { $0.trouble.lostAnswers = 60 }
        for number in 1...5 as ClosedRange<UInt64> {
            let receipt = try journal.commitAndMark([put(number, "e\(number)")], live: live)
            #expect(receipt.through.value == number)
            rig.pass(milliseconds: 200)
        }
        rig.etcd.with { $0.trouble.lostAnswers = 0 }
        var other = ClusterRig(rig.etcd, name: "other")
        let (_, recovered, _) = try other.open()
        #expect(recovered.ids == ["e1", "e2", "e3", "e4", "e5"])
    }

    @Test func `other bytes under a number of the same term are an alarm`() throws {
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open()
        let key = rig.keys.batch(1)
        rig.etcd.with { $0.entries[key] = KeyValue(key, [1], createRevision: 9, modRevision: 9) }
        let fault = failure { () throws(CommitFailure) in
            _ = try journal.commitAndMark([put(1, "a")], live: live)
        }
        #expect(fault?.cause.isDeposed == false)
        #expect(fault.map { if case .unknown = $0 { true } else { false } } == true)
    }

    @Test func `a quota that is used up takes nothing and does not end the leader`() throws {
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open()
        rig.etcd.with { $0.trouble.isFull = true }
        let fault = failure { () throws(CommitFailure) in
            _ = try journal.commitAndMark([put(1, "a")], live: live)
        }
        #expect(isFull(fault))
        rig.etcd.with { $0.trouble.isFull = false }
        let receipt = try journal.commitAndMark([put(1, "b")], live: live)
        #expect(receipt.through == 1)
    }

    @Test func `a batch that is kept although it was refused is confirmed`() throws {
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open()
        rig.etcd.with { $0.trouble.isAboutToBeFull = true }
        let receipt = try journal.commitAndMark([put(1, "a")], live: live)
        #expect(receipt.through == 1)
        let fault = failure { () throws(CommitFailure) in
            _ = try journal.commitAndMark([put(2, "b")], live: live)
        }
        #expect(isFull(fault))
        rig.etcd.with { $0.trouble.isFull = false }
        _ = try journal.commitAndMark([put(2, "c")], live: live)
        var other = ClusterRig(rig.etcd, name: "other")
        #expect(try other.open().1.ids == ["a", "c"])
    }

    @Test func `pages of batches that are too slow become smaller`() throws {
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open()
        for number in 1...300 as ClosedRange<UInt64> {
            _ = try journal.commitAndMark([put(number, "e\(number)")], live: live)
            rig.pass(milliseconds: 10)
        }
        rig.etcd.with { $0.trouble.mostEntries = 20 }
        var other = ClusterRig(rig.etcd, name: "other")
        #expect(try other.open().1.entries.count == 300)
    }

    @Test func `a batch that may still arrive is not taken back`() throws {
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open()
        rig.etcd.with { $0.trouble.lateCalls = 100 }
        let etcd = rig.etcd
        let fault = failure { () throws(CommitFailure) in
            _ = try journal.commitAndMark([put(1, "late")], live: live)
        }
        #expect(fault == .unknown(.deposed))
        etcd.with { $0.trouble.lateCalls = 0 }
        var other = ClusterRig(etcd, name: "other")
        var (next, _, _) = try other.open()
        // What arrives now meets another leader.
        etcd.deliverLate()
        let receipt = try next.commit([put(1, "first")], live: live)
        #expect(receipt.through == 1)
    }

    @Test func `a compaction leaves what is known, and hands the rest to the history`() throws {
        var limits = Journal.Limits.plain
        limits.segmentBytes = 600
        limits.batchBytes = 400
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open(limits: limits)
        for number in 1...8 as ClosedRange<UInt64> {
            _ = try journal.commitAndMark([put(number, "e\(number)")], live: live)
        }
        for number in 9...16 as ClosedRange<UInt64> {
            let done = Record.Fact.done(
                of: SequenceNumber(number - 8), how: .created, datapoint: nil)
            _ = try journal.commitAndMark([Record(SequenceNumber(number), done)], live: live)
        }
        try journal.rotateIfNeeded(live: LiveSize(events: 1, bytes: 0), time: UnixTime(5))
        #expect(journal.wantsKnownEvents)
        #expect(journal.takeCompaction() == nil)
        journal.compact(keeping: KnownEvents([SequenceNumber(7), SequenceNumber(8)], count: 2))
        var number: UInt64 = 17
        while journal.isCompacting {
            try journal.compactSome()
            _ = try journal.commitAndMark([put(number, "e\(number)")], live: live)
            number += 1
        }
        #expect(journal.takeCompaction() == 17)
        #expect(journal.takeCompaction() == nil)
        #expect(try rig.local.pastIDs == ["e6", "e5", "e4", "e3", "e2", "e1"])
        rig.member.withdraw()
        rig.pass(milliseconds: 10)
        var other = ClusterRig(rig.etcd, name: "other")
        let (_, recovered, _) = try other.open(limits: limits)
        #expect(recovered.ids.prefix(2) == ["e7", "e8"])
        #expect(recovered.ids.count == 2 + Int(number - 17))
        #expect(!recovered.recoveryReport.isAlarm)
        #expect(Journal.inspect(rig.etcd, rig.keys)?.isAlarm == false)
    }

    @Test func `a snapshot that arrives late does not replace a newer one`() throws {
        var limits = Journal.Limits.plain
        limits.segmentBytes = 100
        var rig = ClusterRig()
        var (journal, _, _) = try rig.open(limits: limits)
        for number in 1...3 as ClosedRange<UInt64> {
            _ = try journal.commitAndMark([put(number, "e\(number)")], live: live)
            try journal.rotateIfNeeded(live: LiveSize(events: 0, bytes: 0), time: UnixTime(5))
            journal.compact(keeping: KnownEvents((1...number).map { SequenceNumber($0) }, count: 3))
            // Some of its calls arrive when it has repeated them already.
            rig.etcd.with { $0.trouble.lateCalls = 40 }
            for _ in 0..<60 where journal.isCompacting {
                try journal.compactSome()
                rig.pass(milliseconds: 100)
            }
            rig.etcd.with { $0.trouble.lateCalls = 0 }
            while journal.isCompacting { try journal.compactSome() }
        }
        rig.etcd.deliverLate()
        rig.member.withdraw()
        rig.pass(milliseconds: 10)
        var other = ClusterRig(rig.etcd, name: "other")
        let (_, recovered, _) = try other.open(limits: limits)
        #expect(recovered.ids == ["e1", "e2", "e3"])
    }
}
