import Testing

@testable import BeemedDomain

struct LedgerTests {
    private func key(_ id: String) -> EventKey {
        EventKey(device: .known("button"), id: .known(id))
    }

    /// Says what became of an event, as the journal would.
    private func settle(
        _ ledger: Ledger, _ number: SequenceNumber, refused: Bool = false
    ) {
        let fact: Record.Fact =
            refused
            ? .refused(of: number, status: 422, why: "")
            : .done(of: number, how: .created, datapoint: nil)
        ledger.apply(Record(SequenceNumber(number.value + 100), fact))
    }

    private func forgetSurplus(_ ledger: Ledger) {
        while ledger.hasSurplus, ledger.forgetSurplus(besides: []) {}
    }

    @Test func `counts what waits and what was refused`() {
        let ledger = Ledger()
        for number in 1...4 as ClosedRange<UInt64> {
            ledger.add(.make("\(number)"), SequenceNumber(number))
        }
        expect(ledger.pendingCount, is: 0)
        for number in 1...3 as ClosedRange<UInt64> { ledger.markDurable(SequenceNumber(number)) }
        expect(ledger.pendingCount, is: 3)
        ledger.markDurable(1)
        expect(ledger.pendingCount, is: 3)
        settle(ledger, 1)
        settle(ledger, 2, refused: true)
        settle(ledger, 2)
        settle(ledger, 4)
        expect(ledger.pendingCount, is: 1)
        expect(ledger.refusedCount, is: 1)
        expect(ledger[4]?.progress, is: .uncommitted)
    }

    @Test func `withdraws only what is not durable`() {
        let ledger = Ledger()
        ledger.add(.make("1"), 1)
        ledger.add(.make("2"), 2)
        ledger.markDurable(1)
        ledger.withdraw(1)
        ledger.withdraw(2)
        expect(ledger[key("1")] != nil)
        expect(ledger[key("2")] == nil)
        expect(ledger.count, is: 1)
    }

    @Test(arguments: 1...4)
    func `finds and forgets each event among those whose keys have one hash`(_ gone: Int) {
        let ledger = Ledger(hashMask: 0)
        for number in 1...4 {
            ledger.add(.make("\(number)"), SequenceNumber(UInt64(number)))
        }
        ledger.withdraw(SequenceNumber(UInt64(gone)))
        for number in 1...4 {
            let expected = number == gone ? nil : SequenceNumber(UInt64(number))
            expect(ledger[key("\(number)")]?.number, is: expected)
        }
        ledger.add(.make("\(gone)"), 5)
        expect(ledger[key("\(gone)")]?.number, is: 5)
    }

    @Test func `finds each of many events, and none that is gone`() {
        let ledger = Ledger()
        let numbers = (1...20_000 as ClosedRange<UInt64>).map { SequenceNumber($0) }
        for number in numbers { ledger.add(.make("\(number)"), number) }
        for number in numbers where number.value % 3 == 0 { ledger.withdraw(number) }
        let found = numbers.filter { ledger[key("\($0)")]?.number == $0 }
        expect(found, is: numbers.filter { $0.value % 3 != 0 })
    }

    @Test func `finds each event when most are gone`() {
        let ledger = Ledger()
        let numbers = (1...500 as ClosedRange<UInt64>).map { SequenceNumber($0) }
        for number in numbers { ledger.add(.make("\(number)"), number) }
        for number in numbers where number.value % 7 != 0 { ledger.withdraw(number) }
        let left = numbers.filter { $0.value % 7 == 0 }
        expect(ledger.all.map(\.number), is: left)
        expect(numbers.filter { ledger[$0]?.number == $0 }, is: left)
    }

    @Test func `finds the last event of a key, and the one before when it is gone`() {
        let ledger = Ledger()
        for number in 1...3 as ClosedRange<UInt64> {
            ledger.add(.make("1"), SequenceNumber(number))
        }
        ledger.withdraw(2)
        expect(ledger[key("1")]?.number, is: 3)
        ledger.withdraw(3)
        expect(ledger[key("1")]?.number, is: 1)
    }

    @Test func `forgets the oldest delivered events, and nothing else`() {
        let ledger = Ledger(retention: Ledger.Limits(events: 2))
        for number in 1...6 as ClosedRange<UInt64> {
            ledger.add(.make("\(number)"), SequenceNumber(number))
            ledger.markDurable(SequenceNumber(number))
        }
        settle(ledger, 1, refused: true)
        for number in [3, 2, 4, 5] as [SequenceNumber] {
            settle(ledger, number)
        }
        forgetSurplus(ledger)
        let known = (1...6).filter { ledger[key("\($0)")] != nil }
        expect(known, is: [1, 4, 5, 6])
    }

    @Test func `forgets none of a device for another one that had its name and sent more`() {
        let ledger = Ledger(retention: Ledger.Limits(events: 4))
        let identities = ["bbbbbb"] + Array(repeating: "aaaaaa", count: 4)
        for (index, generation) in identities.enumerated() {
            let number = SequenceNumber(UInt64(index + 1))
            ledger.add(.make("\(number)", generation: generation), number)
            ledger.markDurable(number)
            settle(ledger, number)
        }
        forgetSurplus(ledger)
        expect((1...5).filter { ledger[SequenceNumber($0)] != nil } == [1, 3, 4, 5])
    }

    @Test func `forgets an event that has settled behind later ones`() {
        let ledger = Ledger(retention: Ledger.Limits(events: 0))
        for number in [1, 2, 3] as [SequenceNumber] {
            ledger.add(.make("\(number)"), number)
            ledger.markDurable(number)
        }
        for number in [2, 3, 1] as [SequenceNumber] {
            settle(ledger, number)
            forgetSurplus(ledger)
        }
        expect(ledger.count, is: 0)
    }

    @Test func `does not forget an event with the name of a forgotten one`() {
        let ledger = Ledger(retention: Ledger.Limits(events: 1))
        ledger.add(.make("1"), 1)
        ledger.markDurable(1)
        settle(ledger, 1)
        ledger.add(.make("1"), 2)
        ledger.markDurable(2)
        ledger.add(.make("3"), 3)
        ledger.markDurable(3)
        settle(ledger, 3)
        forgetSurplus(ledger)
        expect(ledger[key("1")]?.number, is: 2)
        expect(ledger[1] == nil)
    }

    /// A leader with parts that other devices have logged, and then presses of a third one.
    private func merged(_ parts: Int, _ others: Int, limit: Int) -> Ledger {
        let ledger = Ledger(retention: Ledger.Limits(events: limit))
        func add(_ event: Event, _ number: Int) {
            ledger.add(event, SequenceNumber(UInt64(number)))
            ledger.markDurable(SequenceNumber(UInt64(number)))
        }
        add(.make("1", generation: "aaaaaa"), 1)
        for number in 2...(parts + 1) {
            let part = Event.make("\(number)", generation: "bbbbbb")
            add(part.accepted(as: .merged(into: 1)), number)
            ledger.follow(SequenceNumber(UInt64(number)), .merged(into: 1), to: nil)
        }
        settle(ledger, 1)
        for number in (parts + 2)...(parts + others + 1) {
            add(.make("\(number)", generation: "cccccc"), number)
            settle(ledger, SequenceNumber(UInt64(number)))
        }
        return ledger
    }

    @Test func `the limit holds although a device's events go only with another one's`() {
        let ledger = merged(6, 2, limit: 4)
        forgetSurplus(ledger)
        expect(ledger.all.map(\.number), is: [8, 9])
    }

    @Test func `a part that was undone goes when its leader is gone`() {
        let ledger = merged(2, 1, limit: 1)
        ledger.apply(Record(50, .undone(of: 2)))
        ledger.removePart(2, of: 1)
        forgetSurplus(ledger)
        expect(ledger.all.map(\.number), is: [4])
    }

    @Test func `knows what the journal must hold`() {
        let ledger = Ledger(retention: Ledger.Limits(events: 1))
        expect(ledger.bytes == 0 && ledger.waitingBytes.total == 0)
        let size = Event.make("1").lineBytes
        for number in 1...3 as ClosedRange<UInt64> {
            ledger.add(.make("\(number)"), SequenceNumber(number))
        }
        expect(ledger.bytes, is: 3 * size)
        ledger.withdraw(3)
        expect(ledger.bytes == 2 * size && ledger.waitingBytes.total == 2 * size)
        for number in 1...2 as ClosedRange<UInt64> {
            ledger.markDurable(SequenceNumber(number))
            settle(ledger, SequenceNumber(number))
        }
        forgetSurplus(ledger)
        expect(ledger.bytes == size && ledger.waitingBytes.total == 0)
    }

    @Test func `guesses the bytes of an event's lines from above`() {
        for comment in ["", "a longer comment than most people ever write to their goal"] {
            var lines = JSONWriter()
            let event = Event.make("12345678", comment: comment, metadata: ["battery": "2.9 V"])
            lines.write(Record(1_000_000, .put(event)))
            lines.write(
                Record(1_000_001, .done(of: 1_000_000, how: .created, datapoint: "69769bcd01")))
            expect(event.lineBytes >= lines.bytes.count)
            expect(event.lineBytes < 2 * lines.bytes.count)
        }
    }

    @Test func `queues first in, first out, however long`() {
        var queue = Queue<Int>()
        var chance = Randomness(seed: 9)
        var (next, expected) = (0, 0)
        for _ in 0..<20_000 {
            if Int.random(in: 0..<5, using: &chance) < 3 {
                queue.append(next)
                next += 1
            } else if let first = queue.popFirst() {
                expect(first, is: expected)
                expected += 1
            }
            expect(queue.count, is: next - expected)
        }
        expect(queue.removeAll(), is: Array(expected..<next))
        expect(queue.isEmpty)
    }
}
