import Testing

@testable import BeemedDomain

/// A reused name is another device: its generation is part of the identity of all its events.
struct DeviceIdentityTests {
    private static let old = DeviceGeneration(rawValue: "x7k2p1")
    private static let new = DeviceGeneration(rawValue: "0000zz")

    @Test(arguments: [
        ("x7k2p1", true), ("000000", true), ("zzzzzz", true), ("abcdef", true),
        ("", false), ("x7k2p", false), ("x7k2p11", false), ("X7K2P1", false), ("x7k2pi", false),
        ("x7k2pl", false), ("x7k2po", false), ("x7k2pu", false), ("x7k-p1", false),
        ("x7k2.1", false), ("é7k2p", false), ("x7k2p\0", false),
    ])
    func `a generation is six letters and nothing else`(_ text: String, _ isOne: Bool) {
        expect((DeviceGeneration(rawValue: text) != nil) == isOne)
        if isOne { expect(DeviceGeneration(rawValue: text)?.description, is: text) }
    }

    @Test func `generations are drawn from a billion`() {
        var chance = Randomness(seed: 1)
        let drawn = (0..<1_000).map { _ in DeviceGeneration.random(using: &chance) }
        expect(Set(drawn).count, is: 1_000)
        for place in 0..<DeviceGeneration.length {
            let letters = Set(drawn.map { Array($0.description)[place] })
            expect(letters.count, is: 32, "place \(place)")
        }
        expect(drawn.allSatisfy { DeviceGeneration(rawValue: $0.description) == $0 })
    }

    @Test func `the generation stands in the request id, and without one nothing does`() {
        let key = EventKey(device: .known("kitchen"), generation: Self.old, id: .known("a.17"))
        expect(key.requestID, is: "kitchen-x7k2p1.a.17")
        let former = EventKey(device: .known("kitchen"), id: .known("a.17"))
        expect(former.requestID, is: "kitchen.a.17")
        expect(key != former)
        expect(key.generation, is: Self.old)
        expect(former.generation == nil)
        expect(DeviceIdentity(withGeneration: "kitchen-x7k2p1"), is: key.identity)
        expect(DeviceIdentity(withGeneration: "kitchen") == nil)
        expect(DeviceIdentity(withGeneration: "-x7k2p1") == nil)
    }

    @Test(arguments: [
        EventKey(device: .known("kitchen"), generation: old, id: .known("a.17")),
        EventKey(device: .known("kitchen"), id: .known("17")),
        EventKey(device: .known("my-kitchen_2"), generation: new, id: .known("a-b:c")),
        EventKey(device: .known("kitchen-x7k2p1"), id: .known("17")),
    ])
    func `a key is found by its request id`(_ key: EventKey) {
        let found = EventKey.all(of: key.requestID)
        expect(found.contains(key))
        expect(found.allSatisfy { $0.requestID == key.requestID })
    }

    @Test(arguments: ["", ".", "kitchen", "kitchen.", ".17", "küche.17", "kitchen.1 7"])
    func `what is no request id of this relay has no key`(_ text: String) {
        expect(EventKey.all(of: text).isEmpty)
    }

    private func press(_ generation: DeviceGeneration?, value: Double = 1) -> Press {
        var press = Press.make("1", device: "kitchen", value: value)
        press.generation = generation
        return press
    }

    @Test func `the same name and id of another generation is another event`() throws {
        var bench = try CoreBench()
        let first = bench.press(press(Self.old))
        let second = bench.press(press(Self.new, value: 2))
        let third = bench.press(press(nil, value: 3))
        let again = try bench.commit { $0.press(press(Self.old)) }
        for replyID in [first, second, third] {
            expect(bench.acceptance(replyID)?.isDuplicate, is: false)
        }
        expect(bench.acceptance(again)?.isDuplicate, is: true)
        let name = DeviceName.known("kitchen")
        expect(bench.core.view.newestEvent(of: name, .known("1"))?.event.value, is: 3)
        expect(bench.core.view.newestEvent(of: .known("hall"), .known("1")) == nil)
        var filter = EventFilter()
        filter.identity = DeviceIdentity(name: name, generation: Self.new)
        let found = bench.core.view.events(filter, before: nil, limit: 9).events
        expect(found.map(\.event.value), is: [2])
    }

    @Test func `both datapoints go out, each under a request id of its own`() throws {
        var bench = try CoreBench()
        bench.press(press(Self.old))
        try bench.commit { $0.press(press(Self.new, value: 2)) }
        bench.deliver(1, .delivered(.created, datapoint: "d1"))
        expect(bench.sent.map(\.requestID), is: ["kitchen-x7k2p1.1", "kitchen-0000zz.1"])
    }

    @Test func `after a restart each generation is still known by its own events`() throws {
        var bench = try CoreBench()
        bench.press(press(nil))
        try bench.commit { $0.press(press(Self.old, value: 2)) }
        try bench.restart()
        let known = [
            bench.press(press(nil)), bench.press(press(Self.old, value: 2)),
            bench.press(press(Self.new, value: 3)),
        ]
        try bench.commit()
        expect(known.map { bench.acceptance($0)?.isDuplicate }, is: [true, true, false])
    }
}
