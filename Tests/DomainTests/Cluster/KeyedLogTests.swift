import Testing

@testable import BeemedDomain

struct KeyedLogTests {
    private let live = LiveSize(bytes: 0)

    private func put(_ number: UInt64, _ id: String) -> Record {
        Record(SequenceNumber(number), .put(.make(id)))
    }

    @Test func `who may write`() {
        part("the next leader finds what the last one has confirmed") {
            var one = ClusterRig(name: "one")
            var (journal, found, receipt) = try one.open()
            expect(found.entries.isEmpty)
            expect(receipt.through, is: 0)
            receipt = try journal.commit([put(1, "a"), put(2, "b")], live: live)
            expect(receipt.through, is: 2)
            try journal.close()
            one.member.withdraw()
            one.pass(milliseconds: 10)
            var other = ClusterRig(one.etcd, name: "other")
            let (next, recovered, again) = try other.open()
            expect(recovered.ids, is: ["a", "b"])
            expect(again.through, is: 2)
            expect(next.store, is: "5704e")
            expect(!recovered.recoveryReport.isAlarm)
        }
        part("a deposed leader writes nothing, and says that the outcome is unknown") {
            var one = ClusterRig(name: "one")
            var (journal, _, _) = try one.open()
            _ = try journal.commit([put(1, "a")], live: live)
            // The first relay is frozen meanwhile.
            var other = ClusterRig(one.etcd, name: "other")
            var (next, _, _) = try other.open()
            // Even if it believes in its lease.
            let fault = failure { () throws(CommitFailure) in
                _ = try journal.commit([put(2, "lost")], live: live)
            }
            expect(fault, is: .unknown(.deposed))
            _ = try next.commit([put(2, "kept")], live: live)
            expect(one.etcd.with { $0.entries.count }, is: 5)
        }
        part("a leader that trusts its clock too long is fenced by the comparison") {
            var one = ClusterRig(name: "one")
            let term = try one.leading()
            let trusting = LeaseTerm(
                epoch: term.epoch, lease: term.lease, expiry: Monotonic(milliseconds: .max),
                clock: { Monotonic(milliseconds: 0) })
            var (journal, _, _) = try Journal.open(
                on: one.site(trusting), local: one.local, store: "5704e", limits: .plain)
            var other = ClusterRig(one.etcd, name: "other")
            _ = try other.open()
            let fault = failure { () throws(CommitFailure) in
                _ = try journal.commit([put(1, "lost")], live: live)
            }
            expect(fault, is: .unknown(.deposed))
        }
        part("other bytes under a number of the same term are an alarm") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open()
            let key = rig.keys.batch(1)
            rig.etcd.with { $0.entries[key] = KeyValue(key, [1], revision: 9) }
            let fault = failure { () throws(CommitFailure) in
                _ = try journal.commit([put(1, "a")], live: live)
            }
            expect(fault?.cause.isDeposed, is: false)
            expect(fault.map { if case .unknown = $0 { true } else { false } }, is: true)
        }
    }

    @Test func `batches without an answer`() {
        part("a batch whose answer was lost is confirmed when it is found") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open()
            rig.etcd.with { $0.trouble.lostAnswers = 60 }
            for number in 1...5 as ClosedRange<UInt64> {
                let receipt = try journal.commit([put(number, "e\(number)")], live: live)
                expect(receipt.through.value, is: number)
                rig.pass(milliseconds: 200)
            }
            rig.etcd.with { $0.trouble.lostAnswers = 0 }
            var other = ClusterRig(rig.etcd, name: "other")
            let (_, recovered, _) = try other.open()
            expect(recovered.ids, is: ["e1", "e2", "e3", "e4", "e5"])
        }
        part("a quota that is used up takes nothing and does not end the leader") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open()
            rig.etcd.with { $0.trouble.isFull = true }
            let fault = failure { () throws(CommitFailure) in
                _ = try journal.commit([put(1, "a")], live: live)
            }
            expect(isFull(fault))
            rig.etcd.with { $0.trouble.isFull = false }
            let receipt = try journal.commit([put(1, "b")], live: live)
            expect(receipt.through, is: 1)
        }
        part("a batch that is kept although it was refused is confirmed") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open()
            rig.etcd.with { $0.trouble.isAboutToBeFull = true }
            let receipt = try journal.commit([put(1, "a")], live: live)
            expect(receipt.through, is: 1)
            let fault = failure { () throws(CommitFailure) in
                _ = try journal.commit([put(2, "b")], live: live)
            }
            expect(isFull(fault))
            rig.etcd.with { $0.trouble.isFull = false }
            _ = try journal.commit([put(2, "c")], live: live)
            var other = ClusterRig(rig.etcd, name: "other")
            try expect(other.open().1.ids, is: ["a", "c"])
        }
        part("a batch that may still arrive is not taken back") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open()
            rig.etcd.with { $0.trouble.lateCalls = 100 }
            let etcd = rig.etcd
            let fault = failure { () throws(CommitFailure) in
                _ = try journal.commit([put(1, "late")], live: live)
            }
            expect(fault, is: .unknown(.deposed))
            etcd.with { $0.trouble.lateCalls = 0 }
            var other = ClusterRig(etcd, name: "other")
            var (next, _, _) = try other.open()
            // The late transaction arrives when another relay leads.
            etcd.deliverLate()
            let receipt = try next.commit([put(1, "first")], live: live)
            expect(receipt.through, is: 1)
        }
    }

    @Test func `reading, and what is let go`() {
        part("pages of batches that are too slow become smaller") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open()
            for number in 1...300 as ClosedRange<UInt64> {
                _ = try journal.commit([put(number, "e\(number)")], live: live)
                rig.pass(milliseconds: 10)
            }
            rig.etcd.with { $0.trouble.maxEntries = 20 }
            var other = ClusterRig(rig.etcd, name: "other")
            try expect(other.open().1.entries.count, is: 300)
        }
        part("old batches go when what is known of them is stated again") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open(limits: tiny)
            for number in 1...8 as ClosedRange<UInt64> {
                _ = try journal.commit([put(number, "e\(number)")], live: live)
            }
            expect(!journal.isMaintenanceDue)
            let stated = LiveSize(bytes: 0, stated: 2)
            let carrying = journal.carrying(stated)
            let request = try require(carrying)
            expect(request.before > 2)
            let carried = Recovered.Entry(
                number: 2, event: .make("e2"), recorded: RecordedState(), statedAt: 2)
            _ = try journal.commit([Record(9, .carried(carried))], live: live)
            _ = journal.carrying(LiveSize(bytes: 0, stated: 7))
            let lines = try StoreContents.load(rig.etcd, rig.keys).lines
            var steps = 0
            while journal.isMaintenanceDue {
                try journal.maintain(live: live, time: UnixTime(1_760_000_000))
                steps += 1
            }
            expect(steps > 1)
            expect(rig.local.names(.history).count, is: steps)
            // An export has each event once: of the store as it is, and as it was, since a leader may
            // end when both have its lines.
            let read: RemoteLines = journal.storage.remoteLines ?? { [] }
            for remote in [lines, try read()] {
                var past = try History(rig.local).reader(behind: remote)
                var ids: [String] = []
                while let entries = try past.next() {
                    ids += entries.map(\.event.key.id.description)
                }
                expect(ids.sorted(), is: (1...8).map { "e\($0)" })
            }
            rig.member.withdraw()
            rig.pass(milliseconds: 10)
            var other = ClusterRig(rig.etcd, name: "other")
            let (_, recovered, _) = try other.open(limits: tiny)
            expect(recovered.ids.contains("e2"))
            expect(!recovered.ids.contains("e1"))
            expect(recovered.next, is: 10)
            expect(!recovered.recoveryReport.isAlarm)
            expect(Journal.inspect(rig.etcd, rig.keys)?.recoveryReport.isDamage, is: false)
            try expect(Set(rig.local.allIDs).isSuperset(of: ["e1", "e2"]))
        }
        part("missing batches are told") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open(limits: tiny)
            for number in 1...4 as ClosedRange<UInt64> {
                _ = try journal.commit([put(number, "e\(number)")], live: live)
            }
            let keys = rig.keys
            rig.etcd.with { $0.entries[keys.batch(1)] = nil }
            let report = try require(Journal.inspect(rig.etcd, rig.keys))
            expect(report.recoveryReport.isDamage)
            expect(report.sentences.contains("record 1 is missing"))
        }
        part("a retirement that arrives late takes nothing more away") {
            var rig = ClusterRig()
            var (journal, _, _) = try rig.open(limits: tiny)
            for number in 1...20 as ClosedRange<UInt64> {
                _ = try journal.commit([put(number, "e\(number)")], live: live)
                _ = journal.carrying(LiveSize(bytes: 0, stated: SequenceNumber(number)))
                // Some of its calls arrive when it has repeated them already.
                rig.etcd.with { $0.trouble.lateCalls = 40 }
                for _ in 0..<4 {
                    try journal.maintain(live: live, time: UnixTime(1_760_000_000))
                    rig.pass(milliseconds: 20)
                }
                rig.etcd.with { $0.trouble.lateCalls = 0 }
            }
            rig.etcd.deliverLate()
            rig.member.withdraw()
            rig.pass(milliseconds: 10)
            var other = ClusterRig(rig.etcd, name: "other")
            let (_, recovered, _) = try other.open(limits: tiny)
            expect(recovered.ids.contains("e20"))
            expect(!recovered.recoveryReport.isAlarm, "\(recovered.recoveryReport.sentences)")
            try expect(Set(rig.local.allIDs + recovered.ids).count, is: 20)
        }
    }

    /// Small enough that a few batches are retired.
    private var tiny: Journal.Limits {
        var limits = Journal.Limits.plain
        limits.segmentBytes = 300
        limits.ringBytes = 0
        limits.batchBytes = 400
        return limits
    }
}
